import type { Heads } from '#session/heads/heads.js';
import { buildLineId } from '#session/line-ids.js';

/** Ids that no entry of a session has; the same ones every time. */
export class StableIds {
  private readonly given = new Set<string>();

  constructor(
    private readonly heads: Heads,
    private readonly sessionId: string,
  ) {}

  /** An id for an entry on this line or after it. */
  next(line: number): string {
    const { heads, given } = this;
    for (let salt = line; ; salt += heads.length + 1) {
      const id = buildLineId(this.sessionId, salt);
      if (heads.has(id) || given.has(id)) continue;
      given.add(id);
      return id;
    }
  }
}
