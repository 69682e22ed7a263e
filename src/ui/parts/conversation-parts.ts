import { buildDrawing } from '#analysis/reading/draw-blocks.js';
import type { ReadingBlock } from '#analysis/reading/reading-block.js';
import { buildReadingBlocks } from '#analysis/reading/reading-blocks.js';
import { asText, type JsonObject, listObjects } from '#base/json.js';
import { formatBytes } from '#base/numbers.js';
import { formatMinute } from '#base/time.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { findCommandName, readUserWords } from '#context/words/user-words.js';
import { formatId, type Head } from '#session/heads/head.js';
import { startsTurn } from '#session/tree/turns.js';
import { type Block, heading, line, span, verbatim } from '../doc/doc.js';
import { joinTexts } from './call-line.js';
import { renderCall, renderLoneResult, renderShell } from './conversation-calls.js';
import { listOtherParts, listSummaryParts } from './conversation-changes.js';
import { type Conversation, describeEdited, type Part, renderFold, type Speaker } from './conversation-part.js';
import { renderReading } from './message-view.js';

/** The parts of an entry, in their order. None for a result that is shown with its call. */
export function listEntryParts(conversation: Conversation, head: Head): readonly Part[] {
  const { session, results } = conversation;
  if (!results.goTo(head)) return [];
  const entry = session.entry(head);
  if (head.type === 'compaction' || head.type === 'branch_summary') return listSummaryParts(conversation, head, entry);

  const message = readEntryMessage(entry);
  switch (message?.role) {
    case 'user':
      return [buildHeading(conversation, 'user', head), ...listUserParts(conversation, head, message)];
    case 'assistant':
      return listAnswerParts(conversation, head, message);
    case 'toolResult':
      return [renderLoneResult(conversation, head, entry)];
    case 'bashExecution':
      return [buildHeading(conversation, 'user', head), renderShell(conversation, head, entry)];
    case 'custom':
      return listCustomParts(conversation, head, message);
    default:
      return listOtherParts(conversation, head, entry);
  }
}

function buildHeading(conversation: Conversation, speaker: Speaker, head: Head): Part {
  return { kind: 'heading', blocks: [renderSpeaker(conversation, speaker, head)], speaker };
}

function renderSpeaker(conversation: Conversation, speaker: Speaker, head: Head): Block {
  const time = formatMinute(head.time);
  if (conversation.isDocument) {
    const level = speaker === 'user' ? 2 : 3;
    const name = speaker === 'user' ? 'User' : 'Assistant';
    return heading(level, time === '' ? name : `${name}, ${time}`);
  }
  const facts = [time, describeEdited(conversation, head)].filter((fact) => fact !== '').join(', ');
  return line(span(speaker, 'strong'), '  ', span(formatId(head.id) ?? '', 'id'), span(`  ${facts}`, 'faint'));
}

/** The words of the user. What the client put beside them is folded. */
function listUserParts(conversation: Conversation, head: Head, message: JsonObject): readonly Part[] {
  const { isOpen, hasHidden, cwd } = conversation;
  const blocks = buildReadingBlocks({ ...message, role: 'user' }, { cwd });
  return blocks.flatMap((block): readonly Part[] => {
    if (block.kind !== 'text') return listBlockParts(conversation, head, block);
    const { text, language } = block.content;
    const words = isOpen && hasHidden ? text : readWords(text);
    const hasAdded = text.trim().length > words.trim().length;
    const parts: Part[] = [];
    if (words.trim() !== '') parts.push(renderText(conversation, words, { language, keepsLines: true }));
    if (hasAdded && hasHidden)
      parts.push(renderFold(conversation, head, 'not typed', { text, body: [verbatim(text)] }));
    return parts;
  });
}

/** The words that a user typed. A command of the client comes first. */
function readWords(text: string): string {
  const words = readUserWords(text).trim();
  const command = findCommandName(text);
  return command === null ? words : `${command} ${words}`.trim();
}

/** The words and calls of an answer; no part for one that has neither. */
function listAnswerParts(conversation: Conversation, head: Head, message: JsonObject): readonly Part[] {
  const { hasHidden, cwd } = conversation;
  const blocks = buildReadingBlocks({ ...message, role: 'assistant' }, { cwd });
  const calls = listObjects(message.content).filter(({ type }) => type === 'toolCall');
  const parts: Part[] = [];
  for (const { block, below } of groupArguments(blocks)) {
    if (block.kind === 'thinking') {
      const { text } = block.content;
      const body = [verbatim(text, 'markdown')];
      if (hasHidden && text.trim() !== '') parts.push(renderFold(conversation, head, 'thinking', { text, body }));
    } else if (block.kind === 'call') {
      parts.push(renderCall(conversation, head, calls.shift() ?? {}, { words: block, below }));
    } else parts.push(...listBlockParts(conversation, head, block));
  }
  return parts.length === 0 ? [] : [buildHeading(conversation, 'assistant', head), ...parts];
}

/** A block, and below a call those of its arguments. */
interface BlockGroup {
  readonly block: ReadingBlock;
  readonly below: ReadingBlock[];
}

function groupArguments(blocks: readonly ReadingBlock[]): readonly BlockGroup[] {
  const groups: BlockGroup[] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    const isArgument = block.kind === 'argument' || block.kind === 'diff';
    if (isArgument && last?.block.kind === 'call') last.below.push(block);
    else groups.push({ block, below: [] });
  }
  return groups;
}

function listBlockParts(conversation: Conversation, head: Head, block: ReadingBlock): readonly Part[] {
  switch (block.kind) {
    case 'text':
      return block.content.text.trim() === '' ? [] : [renderText(conversation, block.content.text, block.content)];
    case 'image':
      return [renderFold(conversation, head, `image, ${block.type}, ${formatBytes(block.bytes)}`)];
    case 'failure':
      return [{ kind: 'text', blocks: [line(span(`  ${block.text}`, 'error'))] }];
    default:
      return [{ kind: 'fold', blocks: renderReading([block], true) }];
  }
}

function renderText(
  { isDocument }: Conversation,
  text: string,
  { language, keepsLines = false }: { readonly language: string; readonly keepsLines?: boolean },
): Part {
  const words = text.trim();
  if (!isDocument) return { kind: 'text', blocks: [verbatim(words, language)] };
  const drawing = buildDrawing({ text: words, language: 'markdown' });
  const source = { kind: 'verbatim', text: words, language: '', keepsLines } as const;
  const block = drawing.form === 'markdown' ? { ...source, nodes: drawing.nodes } : source;
  return { kind: 'text', blocks: [block] };
}

/** A message of an extension, or what an agent added to the input. One that starts a turn is always shown. */
function listCustomParts(conversation: Conversation, head: Head, message: JsonObject): readonly Part[] {
  const isTurn = startsTurn(head);
  if (!isTurn && !conversation.hasHidden) return [];
  const blocks = buildReadingBlocks({ ...message, role: 'user' }, { cwd: conversation.cwd });
  const name = asText(message.customType ?? 'custom');
  const fold = renderFold(conversation, head, name, { text: joinTexts(blocks), body: renderReading(blocks, true) });
  return [isTurn ? { ...fold, speaker: null } : fold];
}
