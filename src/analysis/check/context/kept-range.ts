import type { Provenance } from '#context/replay/envelope.js';
import type { Head, RawId } from '#session/table/head.js';

/** From where a compaction keeps messages: a line of the file, nothing at all, or from what no entry brought in. */
export type KeptFrom = { readonly line: number } | 'nothing' | 'unknown';

/** From where a transform keeps that has just put a summary at the beginning of the list. */
export function keptBehindSummary([, first]: readonly Provenance[]): KeptFrom {
  if (!first) return 'nothing';
  return first.origin === 'entry' || first.origin === 'edit' ? { line: first.line } : 'unknown';
}

/** The entries of a path so far, to compare what two compactions keep of it. */
export class KeptRange {
  private readonly path: Head[] = [];
  /** What an edit is about may not be shown at all. */
  private readonly edited = new Set<RawId>();

  add(head: Head): void {
    this.path.push(head);
    if (head.type === 'context_edit') this.edited.add(head.target);
  }

  /**
   * How many messages more the newest entry, a compaction from the entry at `target` on, keeps than the transform
   * above it; negative for fewer, 0 also where nobody can tell.
   */
  surplus(transform: KeptFrom, target: number): number {
    if (transform === 'unknown' || target === -1) return 0;
    const end = this.path.length - 1;
    const own = this.lastPlace(({ index }) => index === target) ?? end;
    const other = transform === 'nothing' ? end : (this.lastPlace(({ line }) => line === transform.line) ?? end);
    const between = this.path.slice(Math.min(own, other), Math.max(own, other));
    const messages = between.filter((head) => this.isShown(head)).length;
    return own < other ? messages : -messages;
  }

  private lastPlace(isIt: (head: Head) => boolean): number | null {
    const place = this.path.findLastIndex(isIt);
    return place === -1 ? null : place;
  }

  private isShown({ type, role, id }: Head): boolean {
    return (type === 'custom_message' || SHOWN.has(role)) && !this.edited.has(id);
  }
}

/** Roles that are always sent. */
const SHOWN: ReadonlySet<string | null> = new Set(['user', 'assistant', 'toolResult', 'custom']);
