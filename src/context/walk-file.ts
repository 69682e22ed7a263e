import type { Head } from '#session/heads/head.js';
import type { ContextWalk, WalkStep } from './walk.js';

/** An entry of a file, with its step if it is on the path. */
export interface FileStep {
  readonly head: Head;
  readonly step: WalkStep | null;
  /** Whether the entry was yielded before, without its step. */
  readonly isRepeated: boolean;
}

/**
 * The entries of a file in order, each with its step of a walk; `isNeeded` selects those that are not on the path. If
 * the path is in another order, which is rare, its steps come after all entries.
 */
export function* walkFile(
  { session, path, steps }: ContextWalk,
  isNeeded: (index: number) => boolean = () => true,
): Generator<FileStep> {
  const isInOrder = path.every((head, at) => at === 0 || (path[at - 1]?.index ?? 0) < head.index);
  const { heads } = session.tree;
  let next = 0;
  for (let index = 0; index < heads.length; index += 1) {
    const isOnPath = isInOrder && path[next]?.index === index;
    const head = isOnPath || isNeeded(index) ? heads.at(index) : undefined;
    if (!head) continue;
    const step = isOnPath ? steps.next() : null;
    if (isOnPath) next += 1;
    yield { head, step: step === null || step.done ? null : step.value, isRepeated: false };
  }
  for (const step of steps) yield { head: step.head, step, isRepeated: true };
}
