/** What is a secret, beside what the rules of `ctx check` find. */
export interface Rules {
  readonly values: readonly { readonly value: string; readonly kind: string }[];
  /** With the flags `d` and `g`. */
  readonly patterns: readonly RegExp[];
}

/** One stretch that was replaced, or that would have been. */
export interface Replacement {
  readonly line: number;
  readonly entryId: string | null;
  /** `message.content[0].text`; null for a line that is damaged. */
  readonly place: string | null;
  readonly kind: string;
  readonly masked: string;
  /** null: it stays, since the session hangs on it. */
  readonly placeholder: string | null;
}

/** Who wants to know how it goes on. */
export interface Told {
  onReplaced?: (replacement: Replacement) => void;
  /** Called twice for each megabyte or long line. */
  onBatch?: () => void;
}
