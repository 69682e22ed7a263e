import type { Session } from '#session/session.js';
import type { Heads } from '#session/table/heads.js';

/**
 * The entries of sessions that come from one another, so that each is counted once. A fork copies entries with their
 * ids and times; entries of version 1 have no ids of their own, so there type, role and time have to do,
 * and one without a time is nobody else's.
 */
export class SharedEntries {
  private readonly withIds = new Set<string>();
  private readonly withoutIds = new Set<string>();

  /** Whether an earlier session had the entry at an index. Ask for a session before it is noted. */
  has({ header, tree: { heads } }: Session, index: number): boolean {
    const hasTime = !Number.isNaN(heads.timeAt(index));
    if (hasTime && this.withoutIds.size > 0 && this.withoutIds.has(rest(heads, index))) return true;
    return header.version >= 2 && this.withIds.size > 0 && this.withIds.has(whole(heads, index));
  }

  note({ header, tree: { heads } }: Session): void {
    const hasIds = header.version >= 2;
    const seen = hasIds ? this.withIds : this.withoutIds;
    const keyOf = hasIds ? whole : rest;
    for (let index = 0; index < heads.length; index += 1) seen.add(keyOf(heads, index));
  }
}

function whole(heads: Heads, index: number): string {
  const id = heads.idDigitsAt(index) ?? JSON.stringify(heads.at(index)?.id);
  return `${id}|${rest(heads, index)}`;
}

function rest(heads: Heads, index: number): string {
  return `${heads.typeAt(index)}|${heads.roleAt(index)}|${heads.timeAt(index)}`;
}
