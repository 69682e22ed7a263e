import { entryPreview } from '#context/words/entry-text.js';
import type { Session } from '#session/session.js';

/** Milliseconds that one look at a screen may take for reading entries. */
const BUDGET = 12;
/** So many are remembered: many screens. */
const MOST = 5000;

/** What entries hold, in a line. Only those that are looked at are read, and not too many at once. */
export class Previews {
  private readonly texts: Map<number, string>;
  private end = 0;
  /** Whether one was asked for that there was no time to read. */
  isMissing = false;

  /** `before`: what was known of the same file when it was shorter. */
  constructor(
    private readonly session: Session,
    private readonly now: () => number,
    before?: Previews,
  ) {
    this.texts = before?.texts ?? new Map();
  }

  /** Somebody looks at a new screen. */
  start(): void {
    this.end = this.now() + BUDGET;
    this.isMissing = false;
  }

  /** null: there is no time left to read it. */
  at(index: number): string | null {
    const known = this.texts.get(index);
    if (known !== undefined) return known;
    const head = this.session.tree.heads.at(index);
    if (!head) return '';
    if (this.now() > this.end) {
      this.isMissing = true;
      return null;
    }
    const text = entryPreview(this.session.entry(head));
    if (this.texts.size >= MOST) this.texts.clear();
    this.texts.set(index, text);
    return text;
  }
}
