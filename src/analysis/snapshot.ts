import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { jsonDocument } from '#base/schema.js';
import { truncate } from '#base/text.js';
import { type EnvelopeContent, envelopeContent } from '#context/replay/content.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { diffEnvelopes } from './diff/envelope-diff.js';
import { type ItemChange, itemOf } from './diff/list-diff.js';
import { diffValues, type ValueChange } from './diff/value-diff.js';

/** A context at a revision, stored to be compared with later replays. */
export const snapshot = jsonDocument('ctx/snapshot', {
  /** The revision as it was requested. */
  revision: z.string(),
  entryId: z.nullable(z.string()),
  /** The hash of the canonical JSON of the whole content. */
  sha256: z.string(),
  kept: z.object({ as: z.literal('content'), content: envelopeContent }),
});

export type Snapshot = DeepReadonly<z.infer<typeof snapshot>>;

export function buildSnapshot(
  content: EnvelopeContent,
  place: { readonly revision: string; readonly entryId: string | null },
): Snapshot {
  const { system, tools, messages, options } = content;
  return {
    schema: 'ctx/snapshot',
    schemaVersion: 1,
    ...place,
    sha256: hashEnvelope(content),
    kept: { as: 'content', content: { system, tools, messages, options } },
  };
}

/** A difference to the snapshot. */
export interface SnapshotChange {
  readonly region: 'system part' | 'tool' | 'option' | 'message' | 'uncached message';
  /** The name of the part, tool or option; the role of a message. */
  readonly name: string;
  readonly kind: ItemChange<unknown>['kind'];
  /** Its current index, from 0; null for a removed item. */
  readonly at: number | null;
  readonly detail: string;
}

type Region = SnapshotChange['region'];

/** The differences between a snapshot and a replay; none if the hashes agree. */
export function listSnapshotChanges({ sha256, kept }: Snapshot, content: EnvelopeContent): readonly SnapshotChange[] {
  if (hashEnvelope(content) === sha256) return [];
  const diff = diffEnvelopes(kept.content, content);
  return [
    ...diff.parts.map((change) => toSnapshotChange('system part', change, ({ name }) => name)),
    ...diff.tools.map((change) => toSnapshotChange('tool', change, ({ name }) => name)),
    ...diff.options.map((option): SnapshotChange => ({
      region: 'option',
      name: option.name,
      kind: findOptionChange(option),
      at: 'after' in option ? 0 : null,
      detail: describeValueChange({ place: '', kind: 'changed', ...option }),
    })),
    ...diff.cached.map((change) => toSnapshotChange('message', change, ({ role }) => role)),
    ...diff.uncached.map((change) => toSnapshotChange('uncached message', change, ({ role }) => role)),
  ];
}

function findOptionChange(option: { readonly before?: unknown; readonly after?: unknown }): SnapshotChange['kind'] {
  if (!('before' in option)) return 'added';
  return 'after' in option ? 'changed' : 'removed';
}

function toSnapshotChange<Item>(
  region: Region,
  change: ItemChange<Item>,
  nameOf: (item: Item) => string,
): SnapshotChange {
  const { kind } = change;
  const at = kind === 'removed' ? null : change.to;
  return { region, name: nameOf(itemOf(change)), kind, at, detail: describeItemChange(change) };
}

function describeItemChange<Item>(change: ItemChange<Item>): string {
  if (change.kind === 'moved') return `from place ${change.from + 1} to ${change.to + 1}`;
  if (change.kind !== 'changed') return '';
  const [first, ...others] = diffValues(change.before, change.after);
  const rest = others.length === 0 ? '' : `, and ${others.length} more`;
  return first ? describeValueChange(first) + rest : '';
}

/** UTF-16 code units that are quoted before and after a difference. */
const AROUND = 20;

/** The place where two values differ, with some context. */
function describeValueChange({ place, before, after }: ValueChange): string {
  const at = place === '' ? '' : `${place}: `;
  if (typeof before !== 'string' || typeof after !== 'string')
    return `${at}${shorten(JSON.stringify(before))} is now ${shorten(JSON.stringify(after))}`;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  const from = Math.max(0, start - AROUND);
  const piece = (text: string): string => JSON.stringify(text.slice(from, start + AROUND));
  return `${at}${piece(before)} is now ${piece(after)} (character ${start + 1})`;
}

function shorten(text = 'nothing'): string {
  return truncate(text, 2 * AROUND);
}
