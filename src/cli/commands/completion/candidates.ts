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

/** A completion to which the shell adds no files. */
export function toCompletion(candidates: readonly CompletionCandidate[]): Completion {
  return { candidates, files: 'none' };
}

/** An item of a shelf, such as a rule or a strategy. */
interface ShelfItem {
  readonly name: string;
  readonly summary: string;
}

/** The items whose names begin with the typed text. */
export function completeItems(typed: string, items: readonly ShelfItem[]): readonly CompletionCandidate[] {
  return items
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, summary }) => ({ value: name, about: summary }));
}

/** The names that begin with the typed text, without a description. */
export function completeNames(typed: string, names: readonly string[]): readonly CompletionCandidate[] {
  return names.filter((name) => name.startsWith(typed)).map((name) => ({ value: name, about: '' }));
}

/** Candidates for the end of a word, with the beginning that a pattern matches before each. */
export async function completeEnd(
  beginning: RegExp,
  typed: string,
  find: (rest: string) => Promise<readonly CompletionCandidate[]>,
): Promise<readonly CompletionCandidate[]> {
  const [kept = ''] = beginning.exec(typed) ?? [];
  const found = await find(typed.slice(kept.length));
  return found.map(({ value, about }) => ({ value: kept + value, about }));
}
