import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { asString, canonicalJson, type DeepReadonly } from '#base/json.js';
import { jsonDocument } from '#base/schema.js';
import { startOf } from '#base/words.js';
import { type EnvelopeContent, envelopeContent } from '#context/replay/content.js';
import { hashEnvelope } from '#context/replay/hash.js';
import { diffEnvelopes } from './diff/envelope-diff.js';
import { diffList, type ItemChange, type Sameness } from './diff/list-diff.js';
import { diffValues, type ValueChange } from './diff/value-diff.js';

/** An item by its hash, with enough text for a reader to recognise it. */
const digestItem = z.object({ name: z.string(), sha256: z.string(), begins: z.string() });

const digest = z.object({
  parts: z.array(digestItem),
  tools: z.array(digestItem),
  options: z.array(digestItem),
  cached: z.array(digestItem),
  uncached: z.array(digestItem),
});

/** A context at a revision, stored to be compared with later replays. */
export const snapshot = jsonDocument('ctx/snapshot', {
  /** The revision as it was requested. */
  revision: z.string(),
  entryId: z.nullable(z.string()),
  /** The hash of the canonical JSON of the whole content. */
  sha256: z.string(),
  /** The content, or the hashes of its items. */
  kept: z.union([
    z.object({ as: z.literal('content'), content: envelopeContent }),
    z.object({ as: z.literal('hash'), digest }),
  ]),
});

export type Snapshot = DeepReadonly<z.infer<typeof snapshot>>;
type Digest = DeepReadonly<z.infer<typeof digest>>;
type DigestItem = DeepReadonly<z.infer<typeof digestItem>>;
export type SnapshotForm = Snapshot['kept']['as'];

export function snapshotOf(
  content: EnvelopeContent,
  place: { readonly revision: string; readonly entryId: string | null },
  form: SnapshotForm,
): Snapshot {
  const { system, tools, messages, options } = content;
  return {
    schema: 'ctx/snapshot',
    schemaVersion: 1,
    ...place,
    sha256: hashEnvelope(content),
    kept:
      form === 'content'
        ? { as: form, content: { system, tools, messages, options } }
        : { as: form, digest: digestOf(content) },
  };
}

function digestOf({ system, tools, messages, options }: EnvelopeContent): Digest {
  return {
    parts: system.parts.map((part) => digestItemOf(part.name, part, part.text)),
    tools: tools.map((tool) => digestItemOf(tool.name, tool, asString(tool['description']) ?? '')),
    options: Object.entries(options).map(([name, value]) => digestItemOf(name, value, canonicalJson(value))),
    cached: messages.cached.map((message) => digestItemOf(message.role, message, beginningOf(message['content']))),
    uncached: messages.uncached.map((message) => digestItemOf(message.role, message, beginningOf(message['content']))),
  };
}

const MOST_CHARACTERS = 60;

function digestItemOf(name: string, value: unknown, words: string): DigestItem {
  return {
    name,
    sha256: createHash('sha256').update(canonicalJson(value)).digest('hex'),
    begins: startOf(words, MOST_CHARACTERS),
  };
}

function beginningOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  const { text } = (first ?? {}) as { readonly text?: unknown };
  return typeof text === 'string' ? text : canonicalJson(first ?? null);
}

/** A difference to the snapshot. */
export interface SnapshotChange {
  readonly region: 'system part' | 'tool' | 'option' | 'message' | 'uncached message';
  /** The name of the part, tool or option; the role of a message. */
  readonly name: string;
  readonly kind: ItemChange<unknown>['kind'];
  /** Its current index, from 0; null for a removed item. */
  readonly at: number | null;
  /** The change in detail, as far as the snapshot contains it. */
  readonly detail: string;
}

/** The differences between a snapshot and a replay; none if the hashes agree. */
export function changesSince({ sha256, kept }: Snapshot, content: EnvelopeContent): readonly SnapshotChange[] {
  if (hashEnvelope(content) === sha256) return [];
  return kept.as === 'content' ? ofContent(kept.content, content) : ofDigest(kept.digest, digestOf(content));
}

type Region = SnapshotChange['region'];

function ofContent(before: EnvelopeContent, after: EnvelopeContent): readonly SnapshotChange[] {
  const diff = diffEnvelopes(before, after);
  return [
    ...diff.parts.map((change) => changeOf('system part', change, ({ name }) => name)),
    ...diff.tools.map((change) => changeOf('tool', change, ({ name }) => name)),
    ...diff.options.map((option): SnapshotChange => ({
      region: 'option',
      name: option.name,
      kind: !('before' in option) ? 'added' : 'after' in option ? 'changed' : 'removed',
      at: 'after' in option ? 0 : null,
      detail: detailOf({ place: '', kind: 'changed', ...option }),
    })),
    ...diff.cached.map((change) => changeOf('message', change, ({ role }) => role)),
    ...diff.uncached.map((change) => changeOf('uncached message', change, ({ role }) => role)),
  ];
}

function changeOf<Item>(region: Region, change: ItemChange<Item>, nameOf: (item: Item) => string): SnapshotChange {
  const { kind } = change;
  const item = kind === 'removed' ? change.before : kind === 'moved' ? change.item : change.after;
  const at = kind === 'removed' ? null : change.to;
  return { region, name: nameOf(item), kind, at, detail: detailOfChange(change) };
}

function detailOfChange<Item>(change: ItemChange<Item>): string {
  if (change.kind === 'moved') return `from place ${change.from + 1} to ${change.to + 1}`;
  if (change.kind !== 'changed') return '';
  const [first, ...others] = diffValues(change.before, change.after);
  const rest = others.length === 0 ? '' : `, and ${others.length} more`;
  return first ? detailOf(first) + rest : '';
}

const AROUND = 20;

/** The place where two values differ, with some context. */
function detailOf({ place, before, after }: ValueChange): string {
  const at = place === '' ? '' : `${place}: `;
  if (typeof before !== 'string' || typeof after !== 'string')
    return `${at}${short(JSON.stringify(before))} is now ${short(JSON.stringify(after))}`;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  const from = Math.max(0, start - AROUND);
  const piece = (text: string): string => JSON.stringify(text.slice(from, start + AROUND));
  return `${at}${piece(before)} is now ${piece(after)} (character ${start + 1})`;
}

function short(text = 'nothing'): string {
  return text.length > 2 * AROUND ? `${text.slice(0, 2 * AROUND)}…` : text;
}

const SAME_DIGEST: Sameness<DigestItem> = {
  text: ({ name, sha256 }) => `${name}\n${sha256}`,
  identity: ({ name }) => name,
  isLike: () => false,
};
/** Messages are known only by their role, which many share. */
const SAME_MESSAGE: Sameness<DigestItem> = {
  ...SAME_DIGEST,
  identity: () => null,
  isLike: (before, after) => before.name === after.name && before.begins === after.begins,
};

function ofDigest(before: Digest, after: Digest): readonly SnapshotChange[] {
  const regions = [
    ['system part', 'parts', SAME_DIGEST],
    ['tool', 'tools', SAME_DIGEST],
    ['option', 'options', SAME_DIGEST],
    ['message', 'cached', SAME_MESSAGE],
    ['uncached message', 'uncached', SAME_MESSAGE],
  ] as const;
  return regions.flatMap(([region, key, sameness]) =>
    diffList(before[key], after[key], sameness).map((change) => ofDigestItem(region, change)),
  );
}

function ofDigestItem(region: Region, change: ItemChange<DigestItem>): SnapshotChange {
  const { kind } = change;
  const item = kind === 'removed' ? change.before : kind === 'moved' ? change.item : change.after;
  const detail = kind === 'moved' ? detailOfChange(change) : `it begins with ${JSON.stringify(item.begins)}`;
  return { region, name: item.name, kind, at: kind === 'removed' ? null : change.to, detail };
}
