import type { CallResults } from '#analysis/reading/call-results.js';
import { buildDrawing } from '#analysis/reading/draw-blocks.js';
import type { ReadingBlock } from '#analysis/reading/reading-block.js';
import { buildEntryBlocks, buildReadingBlocks } from '#analysis/reading/reading-blocks.js';
import { asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { formatBytes, pluralize } from '#base/numbers.js';
import { formatMinute } from '#base/time.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { readTransformerName } from '#context/replay/repeated-transform.js';
import { describeEdit, describeKept } from '#context/words/describe-changes.js';
import { describeEntry, nameEntry } from '#context/words/entry-text.js';
import type { CallFinder } from '#context/words/tool-call.js';
import { findCommandName, readUserWords } from '#context/words/user-words.js';
import type { Entry } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { startsTurn } from '#session/tree/turns.js';
import { type Block, cutLine, type Doc, heading, line, type Span, span, verbatim } from '../doc/doc.js';
import {
  describeArguments,
  describeFold,
  isCutOnLine,
  joinTexts,
  type LineStyle,
  type NamedCall,
  readResult,
  renderCallLine,
} from './call-line.js';
import { renderReading } from './message-view.js';

/** A part of an entry: its heading, words that were said, what is folded, or a mark that another context begins. */
export interface Part {
  readonly kind: 'heading' | 'text' | 'fold' | 'mark';
  readonly blocks: Doc;
  /** Changes the speaker. null: the answer after it gets a heading. */
  readonly speaker?: Speaker | null;
}

/** The side that speaks. A change of it gets a heading. */
type Speaker = 'user' | 'assistant';

/** A conversation, with all that its entries are rendered with. */
export interface Conversation extends LineStyle {
  readonly session: Session;
  /** Calls with their arguments and results; otherwise, each is one line. */
  readonly isOpen: boolean;
  /** With thinking, what the agent added to the input, and changes of settings. */
  readonly hasHidden: boolean;
  /** Gives a call its result; each result is given once. */
  readonly results: CallResults;
  readonly calls: CallFinder;
  /** The edits of entries, by the entry that they edit. */
  readonly edits: ReadonlyMap<RawId, string | null>;
}

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

function describeEdited({ edits }: Conversation, head: Head): string {
  const edit = head.id === undefined ? null : edits.get(head.id);
  return edit ? `edited by ${edit}` : '';
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
    return [
      ...(words.trim() === '' ? [] : [renderText(conversation, words, { language, keepsLines: true })]),
      ...(hasAdded && hasHidden ? [renderFold(conversation, head, 'not typed', { text, body: [verbatim(text)] })] : []),
    ];
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
      parts.push(renderCall(conversation, head, calls.shift() ?? {}, { named: block, below }));
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
  { language, keepsLines }: { readonly language: string; readonly keepsLines?: boolean },
): Part {
  const words = text.trim();
  if (!isDocument) return { kind: 'text', blocks: [verbatim(words, language)] };
  const drawing = buildDrawing({ text: words, language: 'markdown' });
  const block: Block = {
    kind: 'verbatim',
    text: words,
    language: '',
    ...(drawing.form === 'markdown' && { nodes: drawing.nodes }),
    ...(keepsLines && { keepsLines: true }),
  };
  return { kind: 'text', blocks: [block] };
}

/** A call in words, and the blocks of its arguments. */
interface ReadCall {
  readonly named: NamedCall;
  readonly below: readonly ReadingBlock[];
}

/** A call with its result, as one line or with all that belongs to it. */
function renderCall(conversation: Conversation, head: Head, call: JsonObject, { named, below }: ReadCall): Part {
  const { results, isShort, cwd } = conversation;
  const found = results.take(call.id);
  const result = found && readResult(found.entry, call, cwd);
  const note = found ? describeEdited(conversation, found.head) : '';
  // Details that a line shows describe the call well enough.
  const hasDetails = !isShort && named.details.length > 0;
  const subject = named.subject === '' && !hasDetails ? describeArguments(call, cwd) : named.subject;
  const title = renderCallLine({ ...named, subject }, { result, note }, conversation);
  return renderLine(conversation, found?.head ?? head, title, () => [
    ...(isCutOnLine(named.subject) ? [verbatim(named.subject)] : []),
    ...renderReading([...below, ...(result?.blocks ?? [])], true),
  ]);
}

/** A result whose call is not among the entries. */
function renderLoneResult(conversation: Conversation, head: Head, entry: Entry): Part {
  const { calls, cwd } = conversation;
  const call = calls.findCall(head, entry);
  const result = readResult(entry, call ?? undefined, cwd);
  const named = {
    tool: asText(call?.name ?? readEntryMessage(entry)?.toolName ?? '?'),
    subject: call ? describeArguments(call, cwd) : '',
    details: [],
  };
  const title = renderCallLine(named, { result, note: describeEdited(conversation, head) }, conversation);
  return renderLine(conversation, head, title, () => renderReading(result.blocks, true));
}

/** A command that the user ran. */
function renderShell(conversation: Conversation, head: Head, entry: Entry): Part {
  const [first, ...blocks] = buildEntryBlocks(entry, { cwd: conversation.cwd }) ?? [];
  const { subject, details } = first?.kind === 'call' ? first : { subject: '', details: [] };
  const text = blocks.map((block) => (block.kind === 'output' ? block.content.text : '')).join('');
  const result = { blocks, text, isFailed: details.length > 0, images: 0 };
  const named = { tool: '$', subject, details: [] };
  const title = renderCallLine(named, { result, note: details.join(', ') }, conversation);
  return renderLine(conversation, head, title, () => renderReading(blocks, true));
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

function listSummaryParts(conversation: Conversation, head: Head, entry: Entry): readonly Part[] {
  const kept = describeKept(formatId(head.id), asString(entry.firstKeptEntryId));
  const mark =
    entry.type === 'compaction'
      ? renderMark(conversation, head, 'compaction', `from here on the context ${kept}, after a summary`)
      : renderMark(conversation, head, 'branch', 'the conversation comes back from another branch');
  const text = asText(entry.summary ?? '');
  if (text.trim() === '') return [mark];
  return [mark, renderFold(conversation, head, 'summary', { text, body: [verbatim(text, 'markdown')] })];
}

function listOtherParts(conversation: Conversation, head: Head, entry: Entry): readonly Part[] {
  const { session, hasHidden, isOpen } = conversation;
  if (entry.type === 'context_edit') return [renderEdit(conversation, head, entry)];
  const isTransform = entry.type === 'context_transform';
  // A compaction of Pi has an entry of its own.
  if (isTransform && session.agent && readTransformerName(entry) === 'compaction') {
    const messages = listObjects(entry.patch).flatMap((op) => listObjects(op.messages));
    const what = `from here on the context has ${pluralize(messages.length, 'message')} instead`;
    return [renderMark(conversation, head, 'compaction', what)];
  }
  const isShown = isTransform || (hasHidden && (isOpen || !UNSEEN.has(entry.type ?? '')));
  if (!isShown) return [];
  const preview = describeEntry(entry);
  const name = nameEntry(head, session).replaceAll('_', ' ');
  return [renderLine(conversation, head, [span(preview === '' ? name : `${name}: ${preview}`, 'faint')])];
}

/** Entries that say nothing about the conversation. */
const UNSEEN: ReadonlySet<string> = new Set(['custom', 'usage', 'model_usage']);

function renderEdit(conversation: Conversation, head: Head, { replacement }: Entry): Part {
  const what = describeEdit(asText(head.target), !isObject(replacement));
  const blocks = isObject(replacement) ? buildReadingBlocks({ role: 'user', content: replacement.content }) : [];
  const title = [span('edit', 'strong'), span(`: ${what}`)];
  return renderLine(conversation, head, title, () => renderReading(blocks, true));
}

/** A mark that another context begins here. */
function renderMark({ isDocument }: Conversation, head: Head, name: string, what: string): Part {
  if (isDocument) {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return { kind: 'mark', blocks: [line(span(title, 'strong'), `: ${what}.`)], speaker: null };
  }
  const time = formatMinute(head.time);
  const facts = span(time === '' ? '' : `  ${time}`, 'faint');
  const title = line(span(name, 'strong'), '  ', span(formatId(head.id) ?? '', 'id'), facts);
  return { kind: 'mark', blocks: [title, line(`  ${what}`)], speaker: null };
}

/** The first entries of other branches, which begin at an entry. */
export function renderForks(conversation: Conversation, forks: readonly Head[]): Part {
  return { kind: 'mark', blocks: forks.map((fork) => renderFork(conversation, fork)) };
}

function renderFork({ session, isDocument, hasHidden }: Conversation, fork: Head): Block {
  const id = span(formatId(fork.id) ?? `line ${fork.line}`, 'id');
  if (isDocument) return line('Another branch begins here: ', id);
  const preview = hasHidden ? `  ${describeEntry(session.entry(fork))}` : '';
  return cutLine(span('  another branch from here: ', 'faint'), id, span(preview, 'faint'));
}

/** A text that is folded, and what is below it if it is unfolded; neither for what has no text. */
function renderFold(
  conversation: Conversation,
  head: Head,
  name: string,
  folded?: { readonly text: string; readonly body: Doc },
): Part {
  if (!folded) return renderLine(conversation, head, [span(name, 'faint')]);
  const title = describeFold(name, folded.text, conversation);
  return renderLine(conversation, head, [span(title, 'faint')], () => folded.body);
}

/** A line, and what is below it if it is unfolded. */
function renderLine(
  { isDocument, isOpen }: Conversation,
  head: Head,
  title: readonly Span[],
  body: () => Doc = () => [],
): Part {
  const below = isDocument || isOpen ? body() : [];
  const id = isDocument ? [] : [span('  '), span(formatId(head.id) ?? '', 'id'), span('  ')];
  return { kind: 'fold', blocks: [{ kind: 'fold', summary: [...id, ...title], body: below }] };
}
