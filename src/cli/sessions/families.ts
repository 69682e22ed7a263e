import { sumBy } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import { baseName } from '#base/paths.js';
import type { Io } from '#platform/io.js';
import type { AgentPeek } from '#session/agents/reader.js';
import { toContentName } from '#session/scan/compression.js';
import type { SessionPeek } from '#session/scan/peek.js';
import { sortInForkOrder } from './fork-order.js';
import { type NamedFile, peekSessionHeader } from './session-files.js';

/** A session file with its header; null if it has none, or its beginning is inconclusive. */
interface FamilyMember extends NamedFile {
  readonly header: SessionPeek | AgentPeek | null;
}

/** Sessions that derive from each other, parents first. */
export type Family = readonly FamilyMember[];

/** The files of a family, parents first. */
export function listFamilyFiles(family: Family): readonly string[] {
  return family.map(({ file }) => file);
}

/** The bytes of a family's files together. */
export function sumFamilyBytes(family: Family): number {
  return sumBy(family, ({ size }) => size);
}

/**
 * Groups files that may share entries: an original, then its forks, clones and copies. Any other file is a group by
 * itself. Groups come in the order of their first files.
 */
export async function groupFamilies(io: Pick<Io, 'files'>, named: readonly NamedFile[]): Promise<readonly Family[]> {
  const found = await readHeaders(io, named);
  return groupByKeys(listKeys(found)).map((group) => {
    const members = group.flatMap((at) => found[at] ?? []);
    if (members.length < 2) return members;
    const listed = members.map((member) => ({
      ...member,
      at: 0,
      id: member.header?.id ?? null,
      parentSession: findOrigin(member),
    }));
    return sortInForkOrder(listed).map(({ item }) => item);
  });
}

async function readHeaders(io: Pick<Io, 'files'>, named: readonly NamedFile[]): Promise<readonly FamilyMember[]> {
  const found = named.map((one) => ({ ...one, header: one.file === '-' ? null : peekSessionHeader(io, one) }));
  const isOther = ({ header }: (typeof found)[number]): boolean => header === 'no-session';
  const readers = found.some(isOther) ? await import('./agent-header.js') : null;
  return found.map(({ header, ...one }) => {
    if (header === 'no-session') return { ...one, header: readers?.readAgentHeader(io, one) ?? null };
    return { ...one, header };
  });
}

/** The session that a file was forked or imported from, by the name of its file or by its id. */
function findOrigin({ header }: FamilyMember): string | null {
  return header?.parentSession ?? header?.importedId ?? null;
}

/** Keys of each file, such that two files with one in common are related. */
function listKeys(members: readonly FamilyMember[]): readonly (readonly string[])[] {
  // Sessions are moved and copied, but their names hold their id.
  const parents = members.map((member) => baseName(findOrigin(member) ?? ''));
  const isParent = new Set(parents);
  return members.map(({ file, header }, at) => {
    const name = toContentName(baseName(file));
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
function groupByKeys(keys: readonly (readonly string[])[]): readonly (readonly number[])[] {
  const leaders = keys.map((_, at) => at);
  const findLeader = (at: number): number => {
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
        const a = findLeader(first);
        const b = findLeader(at);
        leaders[Math.max(a, b)] = Math.min(a, b);
      }
    }
  }
  const groups = new Map<number, number[]>();
  for (const at of keys.keys()) addTo(groups, findLeader(at), at);
  return [...groups.values()];
}
