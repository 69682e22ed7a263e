import { alignChanges } from '#analysis/diff/align-changes.js';
import type { OptionChange } from '#analysis/diff/envelope-diff.js';
import { itemOf } from '#analysis/diff/list-diff.js';
import type { DetailedChange } from '#analysis/diff/report-diff.js';
import type { ValueChange } from '#analysis/diff/value-diff.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { previewMessage, shorten } from '#context/words/message-text.js';
import { type Block, cell, type Doc, gap, heading, line, proseRow, type Span, span, verbatim } from '#ui/doc/doc.js';
import { renderLinesSideBySide, renderSideBySide, renderTextDiff, type TextDiffStyle } from './beside.js';
import type { EnvelopeComparison } from './summary.js';

/** The layout of a difference. */
export interface DiffStyle extends TextDiffStyle {
  /** A region, or the name of a system part or tool; everything if undefined. */
  readonly part?: string | undefined;
  /** Changed items are printed without their texts. */
  readonly isBrief: boolean;
}

/** The parts of a difference one below another, each under its heading. */
export function renderDiffChanges(compared: EnvelopeComparison, style: DiffStyle, format: string): Doc {
  const { settings, parts, tools, options } = compared.report;
  const system =
    renderUnrecorded(compared, 'system', style) ?? renderItems(parts, style, describeShares(compared, 'systemParts'));
  const ofTools =
    renderUnrecorded(compared, 'tools', style) ?? renderItems(tools, style, describeShares(compared, 'tools'));
  return [
    ...renderRegion('Settings', settings.map(renderSetting), format),
    ...renderRegion('System', system, format),
    ...renderRegion('Tools', ofTools, format),
    ...renderRegion('Options', options.map(renderSetting), format),
    ...renderRegion('Messages', renderMessageChanges(compared, 'cached', style), format),
    ...renderRegion('Uncached messages', renderMessageChanges(compared, 'uncached', style), format),
  ];
}

/** The changes of a region below its title; nothing without changes. */
function renderRegion(title: string, blocks: readonly Block[], format: string): Doc {
  if (blocks.length === 0) return [];
  const body = format === 'markdown' ? [verbatim(formatAsText(blocks), 'diff')] : blocks;
  return [gap, heading(2, title), ...body];
}

/** The blocks as text for a Markdown block of the language `diff`, which reads the first character of a line. */
function formatAsText(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'line') return block.spans.map(({ text }) => text).join('');
      return block.kind === 'row' ? block.cells.map(({ text }) => text).join('  ') : '';
    })
    .map((text) => text.replace(/^ {4}(?=[-+] )/, ''))
    .join('\n');
}

/** A note that one session does not record a region, which is no removal; null if both record it, or neither. */
function renderUnrecorded(
  { before, after, report }: EnvelopeComparison,
  region: 'system' | 'tools',
  { part }: DiffStyle,
): Doc | null {
  const changes = region === 'system' ? report.parts : report.tools;
  if (part !== undefined && changes.length === 0) return null;
  const isUnknown = ({ meta }: ContextEnvelope): boolean => meta.sources[region] === 'unknown';
  if (isUnknown(before) === isUnknown(after)) return null;
  const which = isUnknown(before) ? 'earlier' : 'later';
  return [line(span(`? not recorded in the ${which} one: --baseline FILE supplies it`, 'faint'))];
}

const SIGNS = { added: '+', removed: '-', moved: '>', changed: '~' } as const;
const TONES = { added: 'good', removed: 'error', moved: 'warning', changed: 'warning' } as const;

function renderSetting({ name, before, after }: OptionChange): Block {
  return line(span('~ ', 'warning'), `${name}: ${formatSetting(before)} → ${formatSetting(after)}`);
}

function formatSetting(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}

/** Describes the size of a system part or a tool, as `ctx show` prints it. */
function describeShares(compared: EnvelopeComparison, region: 'systemParts' | 'tools') {
  return (side: Side, at: number): string =>
    pluralize(compared[side].meta.composition[region][at]?.tokens ?? 0, 'token');
}

/** System parts or tools. */
function renderItems<Item extends { readonly name: string }>(
  changes: readonly DetailedChange<Item>[],
  style: DiffStyle,
  describeTokens: (side: Side, at: number) => string,
): readonly Block[] {
  return changes.flatMap((change): readonly Block[] => {
    const sign = span(`${SIGNS[change.kind]} `, TONES[change.kind]);
    switch (change.kind) {
      case 'added':
      case 'removed': {
        const item = itemOf(change);
        const tokens =
          change.kind === 'added' ? describeTokens('after', change.to) : describeTokens('before', change.from);
        return [line(sign, item.name, span(`  ${tokens}`, 'faint')), ...renderWhole(item, change.kind, style)];
      }
      case 'moved':
        return [line(sign, change.item.name, span(describeMove(change), 'faint'))];
      case 'changed': {
        const { before, after } = change;
        const isRenamed = before.name !== after.name;
        const name = isRenamed ? `${before.name} → ${after.name}` : after.name;
        const tokens = `${describeTokens('before', change.from)} → ${describeTokens('after', change.to)}`;
        const note = `${change.isMoved ? describeMove(change) : ''}  ${tokens}`;
        const values = style.isBrief ? [] : change.values.filter(({ place }) => place !== 'name');
        return [line(sign, name, span(note, 'faint')), ...values.flatMap((value) => renderValueChange(value, style))];
      }
    }
  });
}

function describeMove({ from, to }: { readonly from: number; readonly to: number }): string {
  return `  moved from place ${from + 1} to ${to + 1}`;
}

function renderMessageChanges(
  compared: EnvelopeComparison,
  list: 'cached' | 'uncached',
  style: DiffStyle,
): readonly Block[] {
  const changes = compared.report[list];
  if (changes.length === 0) return [];
  const { before, after } = compared;
  const messages = { before: before.messages[list], after: after.messages[list] };
  const row = createMessageRow(compared, list);
  const lengths = { before: messages.before.length, after: messages.after.length };
  return [...alignChanges(lengths, changes)].flatMap((step): readonly Block[] => {
    if (step.kind === 'kept')
      return renderKept(step, messages.after, style, (at, message) => row(span('  '), 'after', at, message));
    const { change } = step;
    const sign = span(`${SIGNS[change.kind]} `, TONES[change.kind]);
    switch (change.kind) {
      case 'added':
        return [row(sign, 'after', change.to, change.after)];
      case 'removed':
        return [row(sign, 'before', change.from, change.before)];
      case 'moved':
        return [row(sign, 'after', change.to, change.item, `moved from ${change.from + 1}`)];
      case 'changed': {
        const was = countShare(compared, list, 'before', change.from);
        const note = `was ${formatCount(was)}${change.isMoved ? `, moved from ${change.from + 1}` : ''}`;
        return [
          row(sign, 'after', change.to, change.after, note),
          ...(style.isBrief ? [] : change.values).flatMap((value) => renderValueChange(value, style)),
        ];
      }
    }
  });
}

type Side = 'before' | 'after';
type MessageRow = (sign: Span, side: Side, at: number, message: LlmMessage, note?: string) => Block;

/** Makes the row of a message of a list: place, role, entry, tokens, preview. */
function createMessageRow(compared: EnvelopeComparison, list: 'cached' | 'uncached'): MessageRow {
  const findSource = (side: Side, at: number): Provenance | undefined => {
    const { messages, meta } = compared[side];
    return meta.provenance[list === 'cached' ? at : messages.cached.length + at];
  };
  return (sign, side, at, message, note = '') => {
    const cells = [
      cell(sign.text.trim(), 1, sign.tone),
      cell(String(at + 1), -3, 'faint'),
      cell(readSentRole(message), 10, message.role === 'user' ? 'strong' : 'plain'),
      cell(findSource(side, at)?.entryId ?? '', 8, 'id'),
      cell(formatCount(countShare(compared, list, side, at)), -6),
    ];
    if (note !== '') cells.push(cell(note, 0, 'faint'));
    cells.push(cell(previewMessage(message)));
    // The text of a change is never cut.
    return sign.text.trim() === '' ? { kind: 'row', cells } : proseRow(cells);
  };
}

/** The tokens of a message of a list, as `ctx show` prints them: a share of the context on its side. */
function countShare(compared: EnvelopeComparison, list: 'cached' | 'uncached', side: Side, at: number): number {
  const { messages, meta } = compared[side];
  const place = list === 'cached' ? at : messages.cached.length + at;
  return meta.composition.messages[place]?.tokens ?? 0;
}

function renderKept(
  { to, count: length }: { readonly to: number; readonly count: number },
  messages: readonly LlmMessage[],
  { isFull }: DiffStyle,
  row: (at: number, message: LlmMessage) => Block,
): readonly Block[] {
  if (!isFull) return [line(span(`  … ${pluralize(length, 'message')} kept`, 'faint'))];
  return messages.slice(to, to + length).map((message, at) => row(to + at, message));
}

/** A change inside a value: its place, and the old and the new value. */
function renderValueChange({ place, kind, before, after }: ValueChange, style: TextDiffStyle): readonly Block[] {
  const at = place === '' ? 'all of it' : place;
  const renderPlace = (what: string): Block => line(span(`    ${at}`, 'id'), span(what, 'faint'));
  const formatValue = (value: unknown): string => {
    const text = JSON.stringify(value) ?? 'nothing';
    return style.isFull ? text : shorten(text);
  };
  switch (kind) {
    case 'added':
      return [renderPlace(' was added'), ...renderReplacement([], [formatValue(after)], style)];
    case 'removed':
      return [renderPlace(' was removed'), ...renderReplacement([formatValue(before)], [], style)];
    case 'moved':
      return [renderPlace(` moved from place ${Number(before) + 1} to ${Number(after) + 1}`)];
    case 'order':
      return [renderPlace(': the same keys in another order')];
    case 'form':
      return [renderPlace(`: the same text, ${typeof before === 'string' ? 'as a list of blocks' : 'by itself'} now`)];
    case 'changed':
      if (typeof before !== 'string' || typeof after !== 'string')
        return [renderPlace(''), ...renderReplacement([formatValue(before)], [formatValue(after)], style)];
      return [
        ...(place === 'text' ? [] : [renderPlace('')]),
        ...(style.isBeside ? renderSideBySide(before, after, style) : renderTextDiff(before, after, style)),
      ];
  }
}

/** The complete text of an added or removed system part or tool, with `--full`. */
function renderWhole(item: object, kind: 'added' | 'removed', style: TextDiffStyle): readonly Block[] {
  if (!style.isFull) return [];
  const text = 'text' in item && typeof item.text === 'string' ? item.text : JSON.stringify(item, null, 2);
  const lines = text.split('\n');
  return kind === 'added' ? renderReplacement([], lines, style) : renderReplacement(lines, [], style);
}

/** Removed lines, and the lines that replace them. */
function renderReplacement(
  before: readonly string[],
  after: readonly string[],
  { isBeside }: TextDiffStyle,
): readonly Block[] {
  if (isBeside) return renderLinesSideBySide(before, after);
  return [
    ...before.map((text) => line(span(`    - ${text}`, 'error'))),
    ...after.map((text) => line(span(`    + ${text}`, 'good'))),
  ];
}
