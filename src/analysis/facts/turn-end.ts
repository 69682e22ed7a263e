import type { LlmMessage } from '#context/replay/content.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { splitSentences } from './sentences.js';
import { truncateText } from './text.js';

/** Whether an assistant's message ends the turn. */
export function endsTurn(message: LlmMessage): boolean {
  if (message.role !== 'assistant') return false;
  if (typeof message.stopReason === 'string') return message.stopReason === 'stop';
  return !listBlocks(message).some(({ type }) => type === 'toolCall');
}

/** The outcome in an answer, on one line. null for an answer without text. */
export function findOutcome(text: string): string | null {
  const sentences = splitSentences(text);
  const first = sentences.findIndex(({ length }) => length > LONGEST_EXCLAMATION);
  const outcome = sentences.slice(Math.max(0, first)).join(' ');
  return outcome === '' ? null : truncateText(outcome, LONGEST_OUTCOME);
}

/** The limit in UTF-16 code units. */
const LONGEST_OUTCOME = 200;
/** `Done.`, `Perfect!` */
const LONGEST_EXCLAMATION = 12;

/** The sentences of an assistant's text about next steps. */
export function findNextSteps(text: string): readonly string[] {
  return splitSentences(text).filter((sentence) => NEXT.test(sentence) && !/[?:]$/.test(sentence));
}

const NEXT =
  /^(?:next\b|then\b|remaining\b|still (?:to do|open|missing)|todo\b|to do:|after that|the next (?:step|thing)|now (?:i|we|let)\b|(?:i|we)(?:'ll| will| still need to| need to)\b)/i;
