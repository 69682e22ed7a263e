import type { LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type CommonPrefix, commonPrefix } from './common-prefix.js';
import { diffEnvelopes, isSame, type OptionChange } from './envelope-diff.js';
import type { ItemChange } from './list-diff.js';
import { diffValues, type ValueChange } from './value-diff.js';

/** A change of an item; for a changed item, with the places. */
export type DetailedChange<Item> =
  | Exclude<ItemChange<Item>, { readonly kind: 'changed' }>
  | (Extract<ItemChange<Item>, { readonly kind: 'changed' }> & { readonly values: readonly ValueChange[] });

/** A setting outside the messages: model, thinking level, context limit. */
interface SettingChange {
  readonly name: 'model' | 'thinkingLevel' | 'limit';
  readonly before: unknown;
  readonly after: unknown;
}

/** The difference of two envelopes, ready to be printed or applied. */
export interface DiffReport {
  readonly same: boolean;
  readonly prefix: CommonPrefix;
  readonly settings: readonly SettingChange[];
  readonly parts: readonly DetailedChange<SystemPart>[];
  readonly tools: readonly DetailedChange<ToolDefinition>[];
  readonly options: readonly OptionChange[];
  readonly cached: readonly DetailedChange<LlmMessage>[];
  readonly uncached: readonly DetailedChange<LlmMessage>[];
}

/** Messages with the same source entry are states of one message. */
export function reportDiff(before: ContextEnvelope, after: ContextEnvelope): DiffReport {
  const sources = new Map([...sourcesIn(before), ...sourcesIn(after)]);
  const diff = diffEnvelopes(before, after, (message) => sources.get(message) ?? null);
  const settings = settingChanges(before, after);
  return {
    same: isSame(diff) && settings.length === 0,
    prefix: commonPrefix(before, after),
    settings,
    parts: diff.parts.map(detailed),
    tools: diff.tools.map(detailed),
    options: diff.options,
    cached: diff.cached.map(detailed),
    uncached: diff.uncached.map(detailed),
  };
}

function detailed<Item>(change: ItemChange<Item>): DetailedChange<Item> {
  return change.kind === 'changed' ? { ...change, values: diffValues(change.before, change.after) } : change;
}

/** The key of a message's source: messages of a transform have no entry of their own. */
function sourcesIn({ messages, meta }: ContextEnvelope): readonly (readonly [LlmMessage, string])[] {
  return [...messages.cached, ...messages.uncached].flatMap((message, at) => {
    const source = meta.provenance[at];
    return source && source.entryId !== null && source.origin !== 'transform'
      ? [[message, source.entryId] as const]
      : [];
  });
}

function settingChanges(before: ContextEnvelope, after: ContextEnvelope): readonly SettingChange[] {
  const names = ['model', 'thinkingLevel', 'limit'] as const;
  return names.flatMap((name) => {
    const [was, is] = [before.meta[name], after.meta[name]];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ name, before: was, after: is }];
  });
}
