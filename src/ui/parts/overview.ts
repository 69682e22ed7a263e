import { asText } from '#base/json.js';
import { sortLargestFirst } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { formatModel } from '#context/models/model-name.js';
import type { RegionSource } from '#context/replay/envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { findWindowOverrun, toWindow } from '#context/size/window.js';
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
import { renderChanges } from './context-changes.js';
import { type MessageList, renderMessages } from './message-list.js';
import {
  describeAgentParts,
  describeSizeSource,
  describeWindowUse,
  formatShortSize,
  formatSize,
  toSizeShares,
} from './size-words.js';

const MOST_NAMES = 6;
const FEWEST_MESSAGES = 4;
const MESSAGES_BEFORE_CATEGORIES = 8;

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
export function renderEnvelopeSummary(
  envelope: ContextEnvelope | EnvelopeOverview,
  title: string,
  hasCategories = true,
): Doc {
  const applied = renderChanges(envelope);
  return [
    heading(1, title),
    ...renderPlace(envelope),
    gap,
    renderUsageBar(envelope),
    renderTokenTable(envelope, hasCategories),
    ...renderUnseen(envelope),
    ...renderAboveWindow(envelope),
    ...(applied.length === 0 ? [] : [gap, ...applied]),
  ];
}

function renderPlace({ session, at, meta }: Pick<EnvelopeOverview, 'session' | 'at' | 'meta'>): readonly Block[] {
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

function renderUnseen({ meta: { unseen } }: Pick<EnvelopeOverview, 'meta'>): Doc {
  return unseen === null
    ? []
    : [hangingLine(2, span('  '), span(`${describeUnseen(unseen)} (${unseen.entryId})`, 'warning'))];
}

function renderAboveWindow({ meta }: Pick<EnvelopeOverview, 'meta'>): Doc {
  const found = findWindowOverrun(meta.size, toWindow(meta));
  return found === null ? [] : [hangingLine(2, span('  '), span(describeWindowOverrun(found), 'warning'))];
}

/** The share of the context window that is used; no bar for an unknown window. */
function renderUsageBar({ meta }: Pick<EnvelopeOverview, 'meta'>): Block {
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
function renderTokenTable(envelope: ContextEnvelope | EnvelopeOverview, hasCategories: boolean): Block {
  const { system, tools, messages, meta } = envelope;
  const { sources, size } = meta;
  const parts = toSizeShares(meta);
  const isWhole = size.recorded > 0 || (sources.system !== 'unknown' && sources.tools !== 'unknown');
  const rows = [
    buildRow(
      'system',
      'system',
      parts.system,
      describeItems(pluralize(system.parts.length, 'part'), system.parts, sources.system),
    ),
    buildRow('tools', 'tools', parts.tools, describeItems(pluralize(tools.length, 'tool'), tools, sources.tools)),
    buildRow('messages', 'messages', parts.cached, pluralize(messages.cached.length, 'message')),
    ...(messages.uncached.length === 0
      ? []
      : [buildRow('', 'messages', parts.uncached, `+ ${formatCount(messages.uncached.length)} for this request only`)]),
    ...(hasCategories ? listCategoryRows(meta.composition) : []),
    ...(parts.notItemised ? [buildRow('not itemised', 'plain', parts.notItemised, describeRest(parts))] : []),
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
function listCategoryRows({
  categories,
  results,
}: EnvelopeOverview['meta']['composition']): readonly (readonly Span[])[] {
  const ofMessages = categories.filter(({ category, tokens }) => tokens > 0 && !DECLARED.has(category));
  const shown = results.slice(0, MOST_TOOLS).map(({ name, tokens }) => `${name} ${formatCount(tokens)}`);
  const byTool = `${shown.join(', ')}${results.length > MOST_TOOLS ? ', …' : ''}`;
  return sortLargestFirst(ofMessages, ({ tokens }) => tokens).map(({ category, tokens }) => [
    span(`  ${category}`, 'faint'),
    span(formatCount(tokens), 'faint'),
    span(category === 'tool results' ? byTool : '', 'faint'),
  ]);
}

function describeRest({ notItemised, notInFile }: ReturnType<typeof toSizeShares>): string {
  if (notInFile === 0) return 'system prompt and tools, from the first request';
  const missing = `~${formatCount(notInFile)} of messages whose text is not in the file`;
  return notInFile === notItemised ? missing : `${missing}; the rest is system prompt and tools`;
}

function buildRow(name: string, tone: Span['tone'], tokens: number | null, what: string): readonly Span[] {
  return [span(name, tone), span(tokens === null ? '?' : formatCount(tokens)), span(what, 'faint')];
}

function describeItems(counted: string, items: Parameters<typeof formatNames>[0], source: RegionSource): string {
  if (source === 'unknown') return 'not recorded (pass --baseline FILE)';
  return `${counted}${formatNames(items)}${source === 'recorded' ? '' : `, ${source}`}`;
}

function formatNames(items: readonly { readonly name: string }[]): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, MOST_NAMES).map(({ name }) => asText(name));
  return `: ${shown.join(', ')}${items.length > shown.length ? ', …' : ''}`;
}
