import type { Io } from '#platform/io.js';
import { sessionFiles } from '../locate.js';
import { filesOfAgents, idsIn, newestOfThreads, threadIn } from './foreign-files.js';

/** An id, and the file or the thread that it names. */
interface Named {
  readonly id: string;
  readonly of: string;
}

/** The form of the ids by which sessions of other agents can be named: see `withForeignNames`. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?$/;
const SHORTEST_PREFIX = 8;

/**
 * The shortest ids that name the sessions in the folders of the agents, by their files, as the commands look them up. A
 * file without such an id is left out.
 */
export function foreignHandles(io: Io): ReadonlyMap<string, string> {
  const files = filesOfAgents(io);
  const ids = [...files.flatMap(namesOf), ...[...sessionFiles(io)].map(({ file, id }) => ({ id, of: file }))];
  const sorted = ids.toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  const shortest = new Map<string, string>();
  for (const [at, { id, of }] of sorted.entries()) {
    const prefix = ID.test(id) ? prefixOf(sorted, at) : null;
    const before = shortest.get(of);
    if (prefix !== null && (before === undefined || prefix.length < before.length)) shortest.set(of, prefix);
  }
  const newest = newestOfThreads(files);
  const filesOf = new Map<string, number>();
  for (const file of newest) filesOf.set(threadIn(file), (filesOf.get(threadIn(file)) ?? 0) + 1);
  return new Map(
    newest.flatMap((file) => {
      const handle = shortest.get(threadIn(file));
      // A rollout may be both among the sessions and in the archive.
      return handle !== undefined && filesOf.get(threadIn(file)) === 1 ? [[file, handle] as const] : [];
    }),
  );
}

function namesOf(file: string): readonly Named[] {
  return [...new Set(idsIn(file))].map((id) => ({ id, of: threadIn(file) }));
}

/** The shortest beginning of an id that no other session's id has; null if another one has the whole id. */
function prefixOf(sorted: readonly Named[], at: number): string | null {
  const { id = '', of = '' } = sorted[at] ?? {};
  const other = (step: number): string => {
    let next = at + step;
    while (sorted[next]?.of === of) next += step;
    return sorted[next]?.id ?? '';
  };
  const shared = Math.max(sharedLength(id, other(-1)), sharedLength(id, other(1)));
  if (shared === id.length) return null;
  const prefix = id.slice(0, Math.max(SHORTEST_PREFIX, shared + 1));
  return prefix.endsWith('-') ? id.slice(0, prefix.length + 1) : prefix;
}

function sharedLength(id: string, other: string): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
