import { canonicalJson } from '#base/canonical-json.js';
import type { EnvelopeContent, LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { countMessageTokens, countTokens, countValueTokens } from '#context/size/tokens.js';
import type { DiffDocument } from './document.js';
import { diffEnvelopes, isEmptyDiff, type OptionChange } from './envelope-diff.js';
import { type ItemChange, itemOf } from './list-diff.js';
import { toSentMessage } from './sent-message.js';
import { diffValues, type ValueChange } from './value-diff.js';

/** A change of an item; for a changed item, with the places. */
export type DetailedChange<Item> =
  | Exclude<ItemChange<Item>, { readonly kind: 'changed' }>
  | (Extract<ItemChange<Item>, { readonly kind: 'changed' }> & { readonly values: readonly ValueChange[] });

/** The difference of two envelopes, ready to be printed or applied. */
export interface DiffReport extends Pick<DiffDocument, 'same' | 'prefix' | 'settings'> {
  readonly parts: readonly DetailedChange<SystemPart>[];
  readonly tools: readonly DetailedChange<ToolDefinition>[];
  readonly options: readonly OptionChange[];
  readonly cached: readonly DetailedChange<LlmMessage>[];
  readonly uncached: readonly DetailedChange<LlmMessage>[];
}

/**
 * Compares two envelopes, as `ctx diff --json` prints it. Messages with the same source entry are states of one
 * message, and what is not sent of them does not count.
 */
export function reportDiff(before: ContextEnvelope, after: ContextEnvelope): DiffReport {
  const sources = new Map([...listSources(before), ...listSources(after)]);
  const diff = diffEnvelopes(before, after, (message) => sources.get(message) ?? null, toSentMessage);
  const settings = listSettingChanges(before, after);
  return {
    same: isEmptyDiff(diff) && settings.length === 0,
    prefix: findCommonPrefix(before, after),
    settings,
    parts: diff.parts.map((change) => addPlaces(change)),
    tools: diff.tools.map((change) => addPlaces(change)),
    options: diff.options,
    cached: diff.cached.map((change) => addPlaces(change, toSentMessage)),
    uncached: diff.uncached.map((change) => addPlaces(change, toSentMessage)),
  };
}

/** The changes of one region, or of one system part or tool by name; all of them for an undefined `part`. */
export function selectChanges(report: DiffReport, part: string | undefined): DiffReport {
  if (part === undefined) return report;
  const has = (region: string) => (change: DetailedChange<{ readonly name: string }>) => {
    const items = change.kind === 'changed' ? [change.before, change.after] : [itemOf(change)];
    return part === region || items.some(({ name }) => name === part);
  };
  const chosen = {
    parts: report.parts.filter(has('system')),
    tools: report.tools.filter(has('tools')),
    options: part === 'options' ? report.options : [],
    cached: part === 'messages' ? report.cached : [],
    uncached: part === 'messages' ? report.uncached : [],
  };
  return { ...report, ...chosen, settings: [], same: isEmptyDiff(chosen) };
}

/** Adds the places that differ. `selectCompared`: the fields of an item that count (default: all). */
function addPlaces<Item>(
  change: ItemChange<Item>,
  selectCompared: (item: Item) => Item = (item) => item,
): DetailedChange<Item> {
  if (change.kind !== 'changed') return change;
  return { ...change, values: diffValues(selectCompared(change.before), selectCompared(change.after)) };
}

/** The key of a message's source: messages of a transform have no entry of their own. */
function listSources({ messages, meta }: ContextEnvelope): readonly (readonly [LlmMessage, string])[] {
  return [...messages.cached, ...messages.uncached].flatMap((message, at) => {
    const source = meta.provenance[at];
    return source && source.entryId !== null && source.origin !== 'transform'
      ? [[message, source.entryId] as const]
      : [];
  });
}

function listSettingChanges(before: ContextEnvelope, after: ContextEnvelope): DiffDocument['settings'] {
  const names = ['model', 'thinkingLevel', 'limit'] as const;
  return names.flatMap((name) => {
    const was = before.meta[name];
    const is = after.meta[name];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ name, before: was, after: is }];
  });
}

/** The part of a request that a provider can read from its cache, if it cached the other one whole. */
type CommonPrefix = DiffDocument['prefix'];

/** The place where two requests diverge. */
export type PrefixEnd = NonNullable<CommonPrefix['end']>;

interface Unit {
  readonly section: PrefixEnd['section'];
  readonly index: number;
  readonly name: string;
  readonly value: unknown;
  tokens(): number;
}

/** Compares requests in the order in which providers cache them: tools, system prompt, messages. */
export function findCommonPrefix(before: EnvelopeContent, after: EnvelopeContent): CommonPrefix {
  const earlier = listUnits(before);
  const later = listUnits(after);
  let tokens = 0;
  for (const [at, unit] of earlier.entries()) {
    const other = later[at];
    if (other?.section !== unit.section || !isSameValue(unit.value, other.value))
      return { tokens, end: describeEnd(unit, other) };
    tokens += unit.tokens();
  }
  return { tokens: countTokens(before).total, end: null };
}

const ORDER: readonly PrefixEnd['section'][] = ['tools', 'system', 'messages'];

/** If one request has more items in a section than the other, they diverge there. */
function describeEnd(unit: Unit, other: Unit | undefined): PrefixEnd {
  const isLater = other !== undefined && ORDER.indexOf(other.section) < ORDER.indexOf(unit.section);
  const { section, index } = isLater ? other : unit;
  return { section, index, name: other?.section === section ? other.name : null };
}

function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other);
}

function listUnits({ tools, system, messages }: EnvelopeContent): readonly Unit[] {
  return [
    ...tools.map((tool, index): Unit => {
      return { section: 'tools', index, name: tool.name, value: tool, tokens: () => countValueTokens(tool) };
    }),
    ...system.parts
      .filter(({ text }) => text !== '')
      .map((part, index): Unit => {
        const value = (index === 0 ? '' : (part.separator ?? '')) + part.text;
        return { section: 'system', index, name: part.name, value, tokens: () => countValueTokens(value) };
      }),
    ...[...messages.cached, ...messages.uncached].map((message, index): Unit => {
      const value = toSentMessage(message);
      return { section: 'messages', index, name: message.role, value, tokens: () => countMessageTokens(message) };
    }),
  ];
}
