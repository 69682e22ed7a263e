/** A completion and its description. */
export interface CompletionCandidate {
  readonly value: string;
  readonly about: string;
}

/** The completions of the last word of a line, and whether the shell adds files. */
export interface Completion {
  readonly candidates: readonly CompletionCandidate[];
  readonly files: 'files' | 'folders' | 'none';
}
