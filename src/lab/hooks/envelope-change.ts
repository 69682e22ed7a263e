import * as z from 'zod/mini';
import { diffEnvelopes } from '#analysis/diff/envelope-diff.js';
import { type ItemChange, itemOf } from '#analysis/diff/list-diff.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { countTokens } from '#context/size/tokens.js';

const names = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  moved: z.array(z.string()),
});

const counts = z.object({ kept: z.int(), added: z.int(), removed: z.int(), changed: z.int(), moved: z.int() });

/** The change that hooks make to an envelope. */
export const envelopeChange = z.object({
  system: names,
  tools: names,
  options: z.array(z.string()),
  cached: counts,
  uncached: counts,
  /** Estimated. */
  tokensBefore: z.int(),
  tokensAfter: z.int(),
  tokenMethod: z.string(),
});

export type EnvelopeChange = z.infer<typeof envelopeChange>;

/** The names of changed parts or tools, by kind of change. */
export type ItemNames = z.infer<typeof names>;

/** The numbers of kept and changed messages, by kind of change. */
export type ItemCounts = z.infer<typeof counts>;

/** The change between two requests. */
export function findEnvelopeChange(before: EnvelopeContent, after: EnvelopeContent): EnvelopeChange {
  const diff = diffEnvelopes(before, after);
  const was = countTokens(before);
  const is = countTokens(after);
  return {
    system: listNames(diff.parts),
    tools: listNames(diff.tools),
    options: diff.options.map(({ name }) => name),
    cached: countKinds(diff.cached, before.messages.cached.length),
    uncached: countKinds(diff.uncached, before.messages.uncached.length),
    tokensBefore: was.total,
    tokensAfter: is.total,
    tokenMethod: is.method,
  };
}

const KINDS = ['added', 'removed', 'changed', 'moved'] as const;

type ByKind<Value> = Record<(typeof KINDS)[number], Value>;

function listByKind<Value>(valueOf: (kind: (typeof KINDS)[number]) => Value): ByKind<Value> {
  const [added, removed, changed, moved] = KINDS;
  return { added: valueOf(added), removed: valueOf(removed), changed: valueOf(changed), moved: valueOf(moved) };
}

function listNames(changes: readonly ItemChange<{ readonly name: string }>[]): ByKind<string[]> {
  return listByKind((kind) => changes.filter((change) => change.kind === kind).map((change) => itemOf(change).name));
}

function countKinds(changes: readonly ItemChange<unknown>[], before: number): ByKind<number> & { kept: number } {
  const gone = changes.filter(({ kind }) => kind !== 'added').length;
  return { kept: before - gone, ...listByKind((kind) => changes.filter((change) => change.kind === kind).length) };
}
