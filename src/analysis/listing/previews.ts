import { EntryPreviews } from '#context/words/entry-text.js';
import type { Session } from '#session/session.js';

/** Milliseconds that a look at some entries may take for reading them. */
const BUDGET = 12;
/** The maximum number of cached previews. */
const MOST = 5000;

/** The one-line previews of entries. Reads them within a time budget for each look. */
export class Previews {
  private readonly texts: Map<number, string>;
  private readonly previews: EntryPreviews;
  private end = 0;
  /** Whether the budget was too short for one of the requested previews. */
  isMissing = false;

  /** `before`: those of the same file when it was shorter, whose results are kept. */
  constructor(
    private readonly session: Session,
    private readonly now: () => number,
    before?: Previews,
  ) {
    this.texts = before?.texts ?? new Map();
    this.previews = new EntryPreviews(session);
  }

  start(): void {
    this.end = this.now() + BUDGET;
    this.isMissing = false;
  }

  /** Returns null if the budget is used up. */
  at(index: number): string | null {
    const cached = this.texts.get(index);
    if (cached !== undefined) return cached;
    const head = this.session.tree.heads.at(index);
    if (!head) return '';
    if (this.now() > this.end) {
      this.isMissing = true;
      return null;
    }
    const text = this.previews.preview(head);
    if (this.texts.size >= MOST) this.texts.clear();
    this.texts.set(index, text);
    return text;
  }
}
