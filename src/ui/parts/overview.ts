import { asText } from '#base/json.js';
import { sortLargestFirst } from '#base/lists.js';
import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { formatModel } from '#context/models/model-name.js';
import { isFailedAnswer, readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope, RegionSource } from '#context/replay/envelope.js';
import type { EnvelopeOverview, EnvelopeSummary } from '#context/replay/overview.js';
import { findWindowOverrun, toWindow } from '#context/size/window.js';
import { describeEdit, describeKept, describeTransform } from '#context/words/describe-changes.js';
import { formatCall, previewMessage } from '#context/words/message-text.js';
import { describeUnseen } from '#context/words/unseen.js';
import { describeWindowOverrun } from '#context/words/window-overrun.js';
import {
  type Block,
  type Doc,
  fileSpan,
  flexible,
  gap,
  hangingLine,
  heading,
  left,
  line,
  right,
  type Span,
  span,
  table,
} from '../doc/doc.js';
import { describeOrigin, findAnsweredCall } from './message-view.js';
import {
  describeAgentParts,
  describeSizeSource,
  describeWindowUse,
  formatShortSize,
  formatSize,
  toSizeShares,
} from './size-words.js';

const MOST_NAMES = 6;
/** The number of first messages that stay on the screen: the summary or the task is among them. */
const FIRST_MESSAGES = 2;
const FEWEST_MESSAGES = 4;
const MESSAGES_BEFORE_CATEGORIES = 8;

/** The way in which messages are listed. */
interface MessageList {
  readonly rows: number;
  /** The largest first, instead of in order. */
  readonly bySize?: boolean;
}

/** The envelope on one short screen. `title` is what the session is called. */
export function renderOverview(envelope: EnvelopeOverview, title: string, view: MessageList): Doc {
  const roomBelow = (doc: Doc): number =>
    view.rows - 4 - doc.reduce((sum, block) => sum + (block.kind === 'table' ? block.rows.length : 1), 0);
  const whole = renderEnvelopeSummary(envelope, title);
  // On a small screen, messages come before the categories.
  const above = roomBelow(whole) < MESSAGES_BEFORE_CATEGORIES ? renderEnvelopeSummary(envelope, title, false) : whole;
  const rows = Math.max(FEWEST_MESSAGES, roomBelow(above));
  return [...above, gap, ...renderMessages(envelope, { ...view, rows })];
}

/** Everything but the messages: identity, sizes and changes. */
export function renderEnvelopeSummary(envelope: EnvelopeSummary, title: string, hasCategories = true): Doc {
  const applied = appliedDoc(envelope);
  return [
    heading(1, title),
    ...placeLines(envelope),
    gap,
    usageBar(envelope),
    tokenTable(envelope, hasCategories),
    ...unseenLine(envelope),
    ...aboveWindowLine(envelope),
    ...(applied.length === 0 ? [] : [gap, ...applied]),
  ];
}

/** The messages as one line each, at most `rows` of them. */
export function renderMessages(envelope: EnvelopeOverview, { rows, bySize = false }: MessageList): Doc {
  const { messages, meta, session } = envelope;
  const length = messages.cached.length + messages.uncached.length;
  if (length === 0) return [line(span('  no messages', 'faint'))];
  // Clients of other agents have rules of their own.
  const notes = !session.agent && hasFailed(messages, Math.max(0, length - rows)) ? [UNSENT] : [];
  const inOrder = Array.from({ length }, (_, at) => at);
  const all = bySize ? sortLargestFirst(inOrder, (at) => meta.composition.messages[at]?.tokens ?? 0) : inOrder;
  if (length <= rows) return [messageTable(rowsOf(envelope, all)), ...notes];
  const first = bySize ? rows - 1 : FIRST_MESSAGES;
  const newest = rows - first - 1;
  const hidden = length - first - newest;
  const more = [
    span(`… ${formatCount(hidden)} more: use --part messages to list all, --message N to show one`, 'faint'),
  ];
  const shown = [...rowsOf(envelope, all.slice(0, first)), more, ...rowsOf(envelope, all.slice(length - newest))];
  return [messageTable(shown), ...notes];
}

const UNSENT = line(span('  Pi leaves answers marked (aborted) or (error) out of every request.', 'faint'));

/** Whether one of the messages from an index on failed. */
function hasFailed(messages: EnvelopeOverview['messages'], from: number): boolean {
  for (let at = from; at < messages.cached.length; at += 1) {
    const message = messages.cached.at(at)?.message;
    if (message && isFailedAnswer(message)) return true;
  }
  return false;
}

function placeLines({ session, at, meta }: EnvelopeSummary): readonly Block[] {
  const model = formatModel(meta.model);
  const place =
    at.entryId === null ? 'no entries in ' : `${at.entryId === at.leafId ? 'HEAD, ' : ''}line ${at.line} of `;
  return [
    line(
      span(at.entryId ?? '', 'id'),
      span(at.entryId === null ? '' : '  '),
      span(place, 'faint'),
      fileSpan(session.file, session.file, 'faint'),
    ),
    ...(session.agent ? [line(span(describeAgentParts(session.agent), 'faint'))] : []),
    line(
      `${model}, thinking ${meta.thinkingLevel}, turn ${meta.turnIndex}, before request ${formatCount(meta.requestIndex + 1)}`,
    ),
  ];
}

function unseenLine({ meta: { unseen } }: EnvelopeSummary): Doc {
  return unseen === null
    ? []
    : [hangingLine(2, span('  '), span(`${describeUnseen(unseen)} (${unseen.entryId})`, 'warning'))];
}

function aboveWindowLine({ meta }: EnvelopeSummary): Doc {
  const found = findWindowOverrun(meta.size, toWindow(meta));
  return found === null ? [] : [hangingLine(2, span('  '), span(describeWindowOverrun(found), 'warning'))];
}

/** The share of the context window that is used; no bar for an unknown window. */
function usageBar({ meta }: EnvelopeSummary): Block {
  const { size, limit, sources } = meta;
  if (limit === null) return line(`  ${formatShortSize(size)} tokens of an unknown window`);
  const { system, tools, cached, uncached, notItemised } = toSizeShares(meta);
  return {
    kind: 'bar',
    segments: [
      { tone: 'system', value: system ?? 0 },
      { tone: 'tools', value: tools ?? 0 },
      { tone: 'messages', value: cached + uncached },
      { tone: 'plain', value: notItemised ?? 0 },
    ],
    total: Math.max(limit, size.tokens),
    label: [span(`${formatShortSize(size)}${describeWindowUse(size, limit, sources.limit === 'assumed')}`)],
  };
}

/** Shares of the size of the context, which add up to it. */
function tokenTable(envelope: EnvelopeSummary, hasCategories: boolean): Block {
  const { system, tools, messages, meta } = envelope;
  const { sources, size } = meta;
  const parts = toSizeShares(meta);
  const isWhole = size.recorded > 0 || (sources.system !== 'unknown' && sources.tools !== 'unknown');
  const rows = [
    row(
      'system',
      'system',
      parts.system,
      itemsText(pluralize(system.parts.length, 'part'), system.parts, sources.system),
    ),
    row('tools', 'tools', parts.tools, itemsText(pluralize(tools.length, 'tool'), tools, sources.tools)),
    row('messages', 'messages', parts.cached, pluralize(messages.cached.length, 'message')),
    ...(messages.uncached.length === 0
      ? []
      : [row('', 'messages', parts.uncached, `+ ${formatCount(messages.uncached.length)} for this request only`)]),
    ...(hasCategories ? categoryRows(meta.composition) : []),
    ...(parts.notItemised ? [row('not itemised', 'plain', parts.notItemised, restText(parts))] : []),
    [
      span('total', 'strong'),
      span(formatSize(size)),
      span(describeSizeSource(size, { model: meta.model, method: meta.tokens.method }), 'faint'),
    ],
    ...(isWhole ? [] : [[span(''), span(''), span('without the parts that are not recorded', 'faint')]]),
  ];
  return table([left('category'), right('tokens'), flexible('what')], rows, { hasTitles: false });
}

const DECLARED: ReadonlySet<string> = new Set(['system', 'tool definitions']);
const MOST_TOOLS = 4;

/** The categories of the messages, the largest first: their numbers add up to that of the messages. */
function categoryRows({ categories, results }: EnvelopeSummary['meta']['composition']): readonly (readonly Span[])[] {
  const ofMessages = categories.filter(({ category, tokens }) => tokens > 0 && !DECLARED.has(category));
  const shown = results.slice(0, MOST_TOOLS).map(({ name, tokens }) => `${name} ${formatCount(tokens)}`);
  const byTool = `${shown.join(', ')}${results.length > MOST_TOOLS ? ', …' : ''}`;
  return sortLargestFirst(ofMessages, ({ tokens }) => tokens).map(({ category, tokens }) => [
    span(`  ${category}`, 'faint'),
    span(formatCount(tokens), 'faint'),
    span(category === 'tool results' ? byTool : '', 'faint'),
  ]);
}

function restText({ notItemised, notInFile }: ReturnType<typeof toSizeShares>): string {
  if (notInFile === 0) return 'system prompt and tools, from the first request';
  const missing = `~${formatCount(notInFile)} of messages whose text is not in the file`;
  return notInFile === notItemised ? missing : `${missing}; the rest is system prompt and tools`;
}

function row(name: string, tone: Span['tone'], tokens: number | null, what: string): readonly Span[] {
  return [span(name, tone), span(tokens === null ? '?' : formatCount(tokens)), span(what, 'faint')];
}

function itemsText(counted: string, items: Parameters<typeof names>[0], source: RegionSource): string {
  if (source === 'unknown') return 'not recorded (pass --baseline FILE)';
  return `${counted}${names(items)}${source === 'recorded' ? '' : `, ${source}`}`;
}

function names(items: readonly { readonly name: string }[]): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, MOST_NAMES).map(({ name }) => asText(name));
  return `: ${shown.join(', ')}${items.length > shown.length ? ', …' : ''}`;
}

/** The tokens of messages are shares of the size of the context: no provider counts one alone. */
function messageTable(rows: readonly (readonly Span[])[]): Block {
  return table([right('#'), left('role'), left('entry'), right('~tokens'), flexible('preview')], rows);
}

/** An envelope whose messages are listed, with their shares of its size. */
type Listed = Pick<EnvelopeOverview, 'messages'> & {
  readonly meta: Pick<EnvelopeOverview['meta'], 'composition'>;
  readonly session: Pick<EnvelopeOverview['session'], 'cwd'>;
};

function rowsOf(envelope: Listed, places: readonly number[]): readonly (readonly Span[])[] {
  return places.map((at) => renderMessageRow(envelope, at));
}

/** The message at a place. `index` counts the cached messages from 0, then the others. */
export function findMessageAt({ cached, uncached }: EnvelopeOverview['messages'], index: number) {
  const isCached = index < cached.length;
  const found = isCached ? cached.at(index) : uncached.at(index - cached.length);
  return found && { ...found, isCached };
}

/** A message on a line: see `findMessageAt`. */
export function renderMessageRow({ messages, meta, session }: Listed, index: number): readonly Span[] {
  const found = findMessageAt(messages, index);
  if (!found) return [];
  const { message, from, isCached } = found;
  const origin = describeOrigin({ provenance: from, isCached });
  const call = findAnsweredCall((at) => messages.cached.at(at)?.message, index, messages.cached.roleAt, message);
  return [
    span(String(index + 1), 'faint'),
    span(readSentRole(message), message.role === 'user' ? 'strong' : 'plain'),
    span(from?.entryId ?? '', 'id'),
    span(formatCount(meta.composition.messages[index]?.tokens ?? 0)),
    span(
      `${origin === '' ? '' : `[${origin}] `}${previewMessage(message, call ? formatCall(call, session.cwd ?? '') : null, session.cwd ?? '')}`,
    ),
  ];
}

const MOST_OF_A_KIND = 4;

/** The changes of the context on the path: the newest compactions, transforms and edits, with their effects. */
function appliedDoc({ meta }: EnvelopeSummary): Doc {
  const kinds = [
    meta.compactions.map(compactionRow),
    meta.transforms.map(transformRow),
    meta.edits.filter(({ effect }) => effect !== 'none').map(editRow),
  ];
  const rows = kinds.flatMap((all) => {
    const shown = all.slice(-MOST_OF_A_KIND);
    const more = all.length - shown.length;
    return more === 0 ? shown : [[span(`… ${more} earlier: use --json to list them`, 'faint')], ...shown];
  });
  const columns = [left('change'), left('entry'), flexible('effect')];
  return rows.length === 0 ? [] : [table(columns, rows, { hasTitles: false })];
}

type Row = readonly Span[];

function compactionRow(compaction: ContextEnvelope['meta']['compactions'][number]): Row {
  const { entryId, shadowed, firstKeptEntryId, tokensBefore } = compaction;
  const before = tokensBefore === null ? '' : `, ${formatShortCount(tokensBefore)} tokens before`;
  const kept = describeKept(entryId, firstKeptEntryId);
  const text = shadowed ? 'repeats the previous transform' : `${kept}${before}`;
  return [span('compaction', 'faint'), span(entryId ?? '', 'id'), span(text)];
}

function transformRow(transform: ContextEnvelope['meta']['transforms'][number]): Row {
  return [span('transform', 'faint'), span(transform.entryId ?? '', 'id'), span(describeTransform(transform))];
}

function editRow({ entryId, targetId, effect }: ContextEnvelope['meta']['edits'][number]): Row {
  return [span('edit', 'faint'), span(entryId ?? '', 'id'), span(describeEdit(targetId ?? '', effect === 'omit'))];
}
