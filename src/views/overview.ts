import type { ContextEnvelope } from '../context/envelope.js';
import type { EnvelopeOverview, EnvelopeSummary } from '../context/overview.js';
import type { View } from '../render/define.js';
import {
  type Block,
  type Doc,
  flexible,
  fileSpan,
  gap,
  heading,
  left,
  line,
  right,
  type Span,
  span,
} from '../render/doc.js';
import { asText } from '../session/values.js';
import { appliedDoc } from './applied-view.js';
import { count, percent, modelName, plural, shortCount } from './format.js';
import { preview } from './message-text.js';
import { originText } from './message-view.js';

const MOST_NAMES = 6;
/** Messages from the beginning that stay on the screen: a summary stands there, or the task. */
const FIRST_MESSAGES = 2;
const FEWEST_MESSAGES = 4;

/** The envelope on one short screen. `title` is what the session is called. */
export function overviewDoc(envelope: EnvelopeOverview, title: string, view: View): Doc {
  const above = [...summaryDoc(envelope, title), gap];
  const lines = above.reduce((sum, block) => sum + (block.kind === 'table' ? block.rows.length : 1), 0);
  return [...above, ...messagesDoc(envelope, Math.max(FEWEST_MESSAGES, view.rows - lines - 3))];
}

/** Everything but the messages: what it is, how big, and what was done to it. */
export function summaryDoc(envelope: EnvelopeSummary, title: string): Doc {
  const applied = appliedDoc(envelope);
  return [
    heading(1, title),
    ...placeLines(envelope),
    gap,
    usageBar(envelope),
    tokenTable(envelope),
    ...(applied.length === 0 ? [] : [gap, ...applied]),
  ];
}

/** The messages as one line each, at most `rows` of them. */
export function messagesDoc({ messages }: EnvelopeOverview, rows: number): Doc {
  const length = messages.cached.length + messages.uncached.length;
  if (length === 0) return [line(span('  no messages', 'faint'))];
  if (length <= rows) return [messageTable(rowsOf(messages, 0, length))];
  const newest = rows - FIRST_MESSAGES - 1;
  const hidden = length - FIRST_MESSAGES - newest;
  const more = [span(`… ${count(hidden)} more: --part messages lists all, --message N shows one`, 'faint')];
  return [messageTable([...rowsOf(messages, 0, FIRST_MESSAGES), more, ...rowsOf(messages, length - newest, length)])];
}

function placeLines({ session, at, meta }: EnvelopeSummary): readonly Block[] {
  const model = modelName(meta.model);
  const place =
    at.entryId === null ? 'no entries in ' : `${at.entryId === at.leafId ? 'HEAD, ' : ''}line ${at.line} of `;
  return [
    line(
      span(at.entryId ?? '', 'id'),
      span(at.entryId === null ? '' : '  '),
      span(place, 'faint'),
      fileSpan(session.file, session.file, 'faint'),
    ),
    line(
      `${model}, thinking ${meta.thinkingLevel}, turn ${meta.turnIndex}, ${plural(meta.requestIndex, 'request')} so far`,
    ),
  ];
}

function usageBar({ meta }: EnvelopeSummary): Block {
  const { tokens, limit, sources } = meta;
  const used = shortCount(tokens.total);
  const label =
    limit === null
      ? `${used} tokens`
      : `${used} of ${shortCount(limit)} tokens (${percent(tokens.total, limit)}${sources.limit === 'assumed' ? ', assumed' : ''})`;
  return {
    kind: 'bar',
    segments: [
      { tone: 'system', value: tokens.system },
      { tone: 'tools', value: tokens.tools },
      { tone: 'messages', value: tokens.cached + tokens.uncached },
    ],
    total: Math.max(limit ?? 0, tokens.total),
    label: [span(label)],
  };
}

function tokenTable(envelope: EnvelopeSummary): Block {
  const { system, tools, messages, meta } = envelope;
  const { tokens, sources } = meta;
  const rows = [
    row(
      'system',
      'system',
      tokens.system,
      `${plural(system.parts.length, 'part')}${names(system.parts)}${known(sources.system)}`,
    ),
    row('tools', 'tools', tokens.tools, `${plural(tools.length, 'tool')}${names(tools)}${known(sources.tools)}`),
    row('messages', 'messages', tokens.cached, `${count(messages.cached.length)} cached`),
    ...(messages.uncached.length === 0
      ? []
      : [row('', 'messages', tokens.uncached, `${count(messages.uncached.length)} uncached, for this request only`)]),
    row('total', 'strong', tokens.total, `estimated (${tokens.method})`),
    ...recordedRow(meta.usage),
  ];
  return {
    kind: 'table',
    hasTitles: false,
    columns: [left('category'), right('tokens'), flexible('what')],
    rows,
  };
}

function row(name: string, tone: Span['tone'], tokens: number, what: string): readonly Span[] {
  return [span(name, tone), span(count(tokens)), span(what, 'faint')];
}

function names(items: readonly { readonly name: string }[]): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, MOST_NAMES).map(({ name }) => asText(name));
  return `: ${shown.join(', ')}${items.length > shown.length ? ', …' : ''}`;
}

function known(source: ContextEnvelope['meta']['sources']['system']): string {
  return source === 'unknown'
    ? ', not recorded (--baseline FILE supplies it)'
    : source === 'recorded'
      ? ''
      : `, ${source}`;
}

function recordedRow(usage: ContextEnvelope['meta']['usage']): readonly (readonly Span[])[] {
  if (usage === null) return [];
  return [
    row(
      'recorded',
      'plain',
      usage.tokens,
      `by the provider at ${usage.entryId}${usage.current ? '' : ', before a later change'}`,
    ),
  ];
}

function messageTable(rows: readonly (readonly Span[])[]): Extract<Block, { kind: 'table' }> {
  return {
    kind: 'table',
    hasTitles: true,
    columns: [right('#'), left('role'), left('entry'), right('tokens'), flexible('preview')],
    rows,
  };
}

function rowsOf(messages: EnvelopeOverview['messages'], from: number, to: number): readonly (readonly Span[])[] {
  return Array.from({ length: to - from }, (_, at) => messageRow(messages, from + at));
}

/** A message on a line. `index` counts the cached messages from 0, then the others. */
export function messageRow({ cached, uncached }: EnvelopeOverview['messages'], index: number): readonly Span[] {
  const isCached = index < cached.length;
  const found = isCached ? cached.at(index) : uncached.at(index - cached.length);
  if (!found) return [];
  const { message, from, tokens } = found;
  const origin = originText({ provenance: from, isCached });
  return [
    span(String(index + 1), 'faint'),
    span(message.role, message.role === 'user' ? 'strong' : 'plain'),
    span(from?.entryId ?? '', 'id'),
    span(count(tokens)),
    span(`${origin === '' ? '' : `[${origin}] `}${preview(message)}`),
  ];
}
