import { idOfLine } from '#session/migrate.js';
import type { Heads } from '#session/table/heads.js';

/** Ids that no entry of a session has; the same ones every time. */
export class FreshIds {
  private readonly given = new Set<string>();

  constructor(
    private readonly heads: Heads,
    private readonly sessionId: string,
  ) {}

  /** One for an entry on this line, or behind it. */
  next(line: number): string {
    const { heads, given } = this;
    for (let salt = line; ; salt += heads.length + 1) {
      const id = idOfLine(this.sessionId, salt);
      if (heads.has(id) || given.has(id)) continue;
      given.add(id);
      return id;
    }
  }
}
