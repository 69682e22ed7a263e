import { inForkOrder } from '#analysis/listing/fork-order.js';
import { addTo } from '#base/lists.js';
import { baseName } from '#base/paths.js';
import type { Io } from '#platform/io.js';
import { headerOf, type NamedFile } from './named-files.js';

/**
 * Groups files that may share entries: an original, then its forks, clones and copies. Any other file is a group by
 * itself. Groups come in the order of their first files.
 */
export function familiesOf(
  { files }: Pick<Io, 'files'>,
  named: readonly NamedFile[],
): readonly (readonly NamedFile[])[] {
  const found = named.map((one) => {
    const header = one.file === '-' ? null : headerOf({ files }, one);
    return header === 'no-session' ? null : header;
  });
  const groups = groupsBy(
    named.map(({ file }, at) => {
      const header = found[at];
      const parent = header?.parentSession ?? null;
      // Sessions are moved and copied, but their names hold their id.
      const names = [`file ${baseName(file)}`, ...(parent === null ? [] : [`file ${baseName(parent)}`])];
      return header ? [...names, `id ${header.id}`] : names;
    }),
  );
  return groups.map((group) => {
    const members = group.flatMap((at) => {
      const member = named[at];
      return member ? { ...member, modified: 0, parentSession: found[at]?.parentSession ?? null } : [];
    });
    return members.length < 2 ? members : inForkOrder(members).map(({ item }) => item);
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
