import type { Heads } from '#session/heads/heads.js';
import type { Session } from '#session/session.js';

/**
 * The entries of related sessions, so that each is counted once. A fork copies entries with their
 * ids and times; entries of version 1 have no ids of their own, so they are compared by type, role and time,
 * and one without a time counts as unique. An entry that another agent is known to have copied is never counted, also
 * if the session that it was copied from is not at hand.
 */
export class SharedEntries {
  private readonly withIds = new Set<string>();
  private readonly withoutIds = new Set<string>();

  /**
   * Whether the entry at an index is another session's, or an earlier session had it. Call it before the session is
   * added.
   */
  has(session: Session, index: number): boolean {
    return (session.copiedFrom?.(index) ?? null) !== null || this.hasEqual(session, index);
  }

  /** The entries of a session that are another session's, by index. Call it before the session is added. */
  listShared(session: Session): readonly number[] {
    const { length } = session.tree.heads;
    return Array.from({ length }, (_, index) => index).filter((index) => this.has(session, index));
  }

  private hasEqual({ header, tree: { heads } }: Session, index: number): boolean {
    const hasTime = !Number.isNaN(heads.timeAt(index));
    if (hasTime && this.withoutIds.size > 0 && this.withoutIds.has(buildRestKey(heads, index))) return true;
    return header.version >= 2 && this.withIds.size > 0 && this.withIds.has(buildWholeKey(heads, index));
  }

  note({ header, tree: { heads } }: Session): void {
    const hasIds = header.version >= 2;
    const seen = hasIds ? this.withIds : this.withoutIds;
    const keyOf = hasIds ? buildWholeKey : buildRestKey;
    for (let index = 0; index < heads.length; index += 1) seen.add(keyOf(heads, index));
  }
}

function buildWholeKey(heads: Heads, index: number): string {
  const id = heads.idDigitsAt(index) ?? JSON.stringify(heads.at(index)?.id);
  return `${id}|${buildRestKey(heads, index)}`;
}

function buildRestKey(heads: Heads, index: number): string {
  return `${heads.typeAt(index)}|${heads.roleAt(index)}|${heads.timeAt(index)}`;
}
