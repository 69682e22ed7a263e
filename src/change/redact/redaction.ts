/** Secrets that the user named, beside those that the rules of `ctx check` find. */
export interface RedactionRules {
  readonly values: readonly { readonly value: string; readonly kind: string }[];
  /** The user's patterns, with the flags `d` and `g`. */
  readonly patterns: readonly RegExp[];
  /** Whether e-mail addresses and the names of users in the paths of home folders are replaced too. */
  readonly isPersonal?: boolean;
}

/** One stretch that was replaced, or that would have been. */
export interface RedactedStretch {
  readonly line: number;
  /** Secrets in it are replaced. */
  readonly entryId: string | null;
  /** `message.content[0].text`; null for a line that is damaged. */
  readonly place: string | null;
  readonly kind: string;
  readonly masked: string;
  /** null: it stays, since the session hangs on it. */
  readonly placeholder: string | null;
}

/** Receives the progress. */
export interface RedactionListener {
  onReplaced?: (replacement: RedactedStretch) => void;
  /** Called twice for each megabyte or long line. */
  onBatch?: () => void;
}
