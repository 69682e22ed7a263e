import { asString, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { readAnswerFacts, readUserMessage } from '../facts/message-facts.js';
import { listTerms } from '../facts/terms.js';
import { toOneLine, truncateText } from '../facts/text.js';
import {
  commandOf,
  findErrorLine,
  findFileUse,
  isStoppedByUser,
  listToolUses,
  type ToolUse,
} from '../facts/tool-uses.js';

/** The classes of facts that a message may take out of the context. */
export const FACT_CLASSES = [
  'instructions',
  'corrections',
  'decisions',
  'errors',
  'edits',
  'reads',
  'results',
  'images',
  'thinking',
] as const;
export type FactClass = (typeof FACT_CLASSES)[number];

export interface MessageFact {
  readonly class: FactClass;
  /** The index of its message. */
  readonly at: number;
  /** A description on one line. */
  readonly text: string;
  /** The text that a summary would have to quote; null if there is none. */
  readonly quote: string | null;
  /** Names that the summary must contain. */
  readonly terms: readonly string[];
  /** The data of an image, which a replacement that sends the image again has too; null for other facts. */
  readonly image: string | null;
}

/** The data of an image; null for other blocks. */
export function imageDataOf({ type, data }: JsonObject): string | null {
  return type === 'image' ? asString(data) : null;
}

/** `isWritten`: whether the user wrote the message at an index; extensions and hooks send theirs with the same role. */
export function listMessageFacts(
  messages: readonly LlmMessage[],
  isWritten: (at: number) => boolean = () => true,
): readonly MessageFact[] {
  const ofMessages = messages.flatMap((message, at) => {
    const sentences = findSummaryText(message) === null ? listSentences(message, at, isWritten(at)) : [];
    return [...sentences, ...listBlockFacts(message, at)];
  });
  const ofTools = listToolUses(messages).flatMap(listUseFacts);
  return [...ofMessages, ...ofTools].toSorted((a, b) => a.at - b.at);
}

/** The facts that a summary may quote. */
function listSentences(message: LlmMessage, at: number, isWritten: boolean): readonly MessageFact[] {
  const toQuote = (factClass: FactClass, sentence: string): MessageFact => ({
    class: factClass,
    at,
    text: truncateText(sentence, LONGEST),
    quote: sentence,
    terms: listTerms(sentence),
    image: null,
  });
  if (message.role === 'assistant') return readAnswerFacts(message).decisions.map((text) => toQuote('decisions', text));
  if (message.role !== 'user' || !isWritten) return [];
  return readUserMessage(message).instructions.map(({ isCorrection, text }) =>
    toQuote(isCorrection ? 'corrections' : 'instructions', text),
  );
}

/** The limit in UTF-16 code units. */
const LONGEST = 300;

function listBlockFacts(message: LlmMessage, at: number): readonly MessageFact[] {
  const facts: MessageFact[] = [];
  for (const block of listBlocks(message)) {
    if (block.type === 'image') {
      const text = truncateText(asString(block.mimeType) ?? 'an image', LONGEST);
      facts.push({ class: 'images', at, text, quote: null, terms: [], image: imageDataOf(block) });
    }
    const thinking = block.type === 'thinking' ? toOneLine(asString(block.thinking) ?? '') : '';
    if (thinking !== '') {
      const text = truncateText(thinking, LONGEST);
      facts.push({ class: 'thinking', at, text, quote: null, terms: [], image: null });
    }
  }
  return facts;
}

/** The facts of a tool use: its failure, or else its file and its result. */
function listUseFacts(use: ToolUse): readonly MessageFact[] {
  const file = findFileUse(use);
  const command = commandOf(use);
  const called = [use.name, file?.path ?? command].filter(Boolean).join(' ');
  const error = findErrorLine(use);
  if (error !== null && isStoppedByUser(error)) return [];
  if (error !== null) {
    const text = truncateText(`${called}: ${error}`, LONGEST);
    return [{ class: 'errors', at: use.resultAt, text, quote: error, terms: listTerms(error), image: null }];
  }
  const rest = {
    quote: null,
    terms: [file?.path, command].filter((term) => term !== undefined && term !== null),
    image: null,
  };
  const facts: MessageFact[] = [];
  if (file) {
    const at = use.callAt === -1 ? use.resultAt : use.callAt;
    const factClass = file.kind === 'modified' ? 'edits' : 'reads';
    facts.push({ class: factClass, at, text: truncateText(file.path, LONGEST), ...rest });
  }
  if (use.resultAt !== -1 && file?.kind !== 'modified') {
    facts.push({ class: 'results', at: use.resultAt, text: truncateText(called, LONGEST), ...rest });
  }
  return facts;
}
