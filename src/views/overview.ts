import type { ContextEnvelope } from '../context/envelope.js';
import { tokensOfMessage } from '../context/tokens.js';
import type { View } from '../render/define.js';
import { type Block, type Doc, flexible, gap, heading, left, line, right, type Span, span } from '../render/doc.js';
import { asText } from '../session/values.js';
import { appliedDoc } from './applied-view.js';
import { count, percent, modelName, plural, shortCount } from './format.js';
import { preview } from './message-text.js';
import { type NumberedMessage, numbered, originText } from './message-view.js';

const MOST_NAMES = 6;
/** Messages from the beginning that stay on the screen: a summary stands there, or the task. */
const FIRST_MESSAGES = 2;
const FEWEST_MESSAGES = 4;

/** The envelope on one short screen. `title` is what the session is called. */
export function overviewDoc(envelope: ContextEnvelope, title: string, view: View): Doc {
  const above = [...summaryDoc(envelope, title), gap];
  const lines = above.reduce((sum, block) => sum + (block.kind === 'table' ? block.rows.length : 1), 0);
  return [...above, ...messagesDoc(envelope, Math.max(FEWEST_MESSAGES, view.rows - lines - 3))];
}

/** Everything but the messages: what it is, how big, and what was done to it. */
export function summaryDoc(envelope: ContextEnvelope, title: string): Doc {
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
export function messagesDoc(envelope: ContextEnvelope, rows: number): Doc {
  const all = numbered(envelope);
  if (all.length === 0) return [line(span('  no messages', 'faint'))];
  if (all.length <= rows) return [messageTable(all.map(messageRow))];
  const newest = all.slice(-(rows - FIRST_MESSAGES - 1));
  const hidden = all.length - FIRST_MESSAGES - newest.length;
  const more = [span(`… ${count(hidden)} more: --part messages lists all, --message N shows one`, 'faint')];
  return [messageTable([...all.slice(0, FIRST_MESSAGES).map(messageRow), more, ...newest.map(messageRow)])];
}

function placeLines({ session, at, meta }: ContextEnvelope): readonly Block[] {
  const model = modelName(meta.model);
  const place =
    at.entryId === null ? 'no entries in ' : `${at.entryId === at.leafId ? 'HEAD, ' : ''}line ${at.line} of `;
  return [
    line(span(at.entryId ?? '', 'id'), span(at.entryId === null ? '' : '  '), span(`${place}${session.file}`, 'faint')),
    line(
      `${model}, thinking ${meta.thinkingLevel}, turn ${meta.turnIndex}, ${plural(meta.requestIndex, 'request')} so far`,
    ),
  ];
}

function usageBar({ meta }: ContextEnvelope): Block {
  const { tokens, limit } = meta;
  const used = shortCount(tokens.total);
  const label =
    limit === null ? `${used} tokens` : `${used} of ${shortCount(limit)} tokens (${percent(tokens.total, limit)})`;
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

function tokenTable(envelope: ContextEnvelope): Block {
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

function messageRow(item: NumberedMessage): readonly Span[] {
  const { number, message, provenance } = item;
  const origin = originText(item);
  return [
    span(String(number), 'faint'),
    span(message.role, message.role === 'user' ? 'strong' : 'plain'),
    span(provenance?.entryId ?? '', 'id'),
    span(count(tokensOfMessage(message))),
    span(`${origin === '' ? '' : `[${origin}] `}${preview(message)}`),
  ];
}
