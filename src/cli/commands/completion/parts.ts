import type { CompletionCandidate } from './completion.js';

export type NamedPart = Readonly<Record<'name' | 'summary', string>>;
export const toNamedPart = (name: string): NamedPart => ({ name, summary: '' });

export function filterParts(typed: string, parts: readonly NamedPart[]): readonly CompletionCandidate[] {
  return parts
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, summary }) => ({ value: name, about: summary }));
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
