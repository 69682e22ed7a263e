import { type PromptUsage, promptUsage } from '#analysis/cache/recorded.js';
import type { Session } from '#session/session.js';

/** What was recorded with the requests of a session, by the index of the answer, as far as somebody has read it. */
export class Usages {
  private readonly found: Map<number, PromptUsage | null>;

  /** `before`: what was known of the same file when it was shorter. */
  constructor(
    private readonly session: Session,
    before?: Usages,
  ) {
    this.found = before?.found ?? new Map();
  }

  /** Grows with each request that was read. */
  get version(): number {
    return this.found.size;
  }

  /** Reads what is not known yet of a path, a request a step, the newest first. */
  *read(path: Uint32Array): Generator<void> {
    const { heads } = this.session.tree;
    for (let at = path.length - 1; at >= 0; at -= 1) {
      const index = path[at] ?? 0;
      if (heads.roleAt(index) !== 'assistant' || this.found.has(index)) continue;
      this.readAt(index);
      yield;
    }
  }

  /** null where nothing was recorded, or nobody has read it yet. */
  at(index: number): PromptUsage | null {
    return this.found.get(index) ?? null;
  }

  /** The same, read where nobody has. */
  readAt(index: number): PromptUsage | null {
    const known = this.found.get(index);
    if (known !== undefined) return known;
    const head = this.session.tree.heads.at(index);
    const usage = head ? promptUsage(this.session.usage(head)) : null;
    this.found.set(index, usage);
    return usage;
  }
}
