import { inForkOrder } from '#analysis/listing/fork-order.js';
import { addTo } from '#base/lists.js';
import { baseName } from '#base/paths.js';
import type { Io } from '#platform/io.js';
import type { ForeignPeek } from '#session/agents/reader.js';
import type { Peek } from '#session/scan/header.js';
import { headerOf, type NamedFile } from './named-files.js';

/** A session file with its header; null if it has none, or its beginning is inconclusive. */
interface FamilyMember extends NamedFile {
  readonly header: Peek | ForeignPeek | null;
}

/** Sessions that derive from each other, parents first. */
export type Family = readonly FamilyMember[];

/**
 * Groups files that may share entries: an original, then its forks, clones and copies. Any other file is a group by
 * itself. Groups come in the order of their first files.
 */
export async function familiesOf(io: Pick<Io, 'files'>, named: readonly NamedFile[]): Promise<readonly Family[]> {
  const found = await withHeaders(io, named);
  return groupsBy(keysOf(found)).map((group) => {
    const members = group.flatMap((at) => found[at] ?? []);
    if (members.length < 2) return members;
    const listed = members.map((member) => ({
      ...member,
      modified: 0,
      parentSession: member.header?.parentSession ?? null,
    }));
    return inForkOrder(listed).map(({ item }) => item);
  });
}

async function withHeaders(io: Pick<Io, 'files'>, named: readonly NamedFile[]): Promise<readonly FamilyMember[]> {
  const found = named.map((one) => ({ ...one, header: one.file === '-' ? null : headerOf(io, one) }));
  const isOther = ({ header }: (typeof found)[number]): boolean => header === 'no-session';
  const foreign = found.some(isOther) ? await import('./foreign-files.js') : null;
  return found.map(({ header, ...one }) => {
    if (header === 'no-session') return { ...one, header: foreign?.foreignHeader(io, one) ?? null };
    return { ...one, header };
  });
}

/** Keys of each file, such that two files with one in common are related. */
function keysOf(members: readonly FamilyMember[]): readonly (readonly string[])[] {
  // Sessions are moved and copied, but their names hold their id.
  const parents = members.map(({ header }) => baseName(header?.parentSession ?? ''));
  const isParent = new Set(parents);
  return members.map(({ file, header }, at) => {
    const name = baseName(file);
    const first = header !== null && 'firstEntry' in header ? header.firstEntry : null;
    return [
      ...(header && header.id !== '' ? [`id ${header.id}`] : []),
      ...(parents[at] ? [`file ${parents[at]}`, `id ${parents[at].replace(/\.jsonl$/, '')}`] : []),
      ...(isParent.has(name) ? [`file ${name}`] : []),
      ...(first === null ? [] : [`first ${first}`]),
    ];
  });
}

/** The indices of items in groups: two with a key in common are in the same. */
function groupsBy(keys: readonly (readonly string[])[]): readonly (readonly number[])[] {
  const leaders = keys.map((_, at) => at);
  const leaderOf = (at: number): number => {
    let leader = at;
    while (leaders[leader] !== leader) leader = leaders[leader] ?? leader;
    leaders[at] = leader;
    return leader;
  };
  const firstWith = new Map<string, number>();
  for (const [at, own] of keys.entries()) {
    for (const key of own) {
      const first = firstWith.get(key);
      if (first === undefined) firstWith.set(key, at);
      else {
        const [a, b] = [leaderOf(first), leaderOf(at)];
        leaders[Math.max(a, b)] = Math.min(a, b);
      }
    }
  }
  const groups = new Map<number, number[]>();
  for (const at of keys.keys()) addTo(groups, leaderOf(at), at);
  return [...groups.values()];
}
