import { lowerAscii, normalizeText } from '../facts/text.js';
import type { LostFact } from './document.js';
import type { FileNames } from './known-files.js';

/** Determines the mention of names in a summary. Paraphrases do not count. */
type FindMention = (quoted: { readonly text: string | null; readonly terms: readonly string[] }) => LostFact['mention'];

/**
 * Builds a function that finds the mention of a fact. `namesOf` returns the names of a term, any of which is
 * sufficient.
 */
export function buildMentionFinder(summary: string, namesOf: FileNames = (term) => [term]): FindMention {
  const words = normalizeText(summary);
  const plain = lowerAscii(summary);
  return ({ text, terms }) => {
    const wanted = text === null ? '' : normalizeText(text);
    if (wanted !== '' && words.includes(wanted)) return 'quoted';
    if (terms.length === 0) return 'missing';
    const found = terms.filter((term) => namesOf(term).some((name) => containsName(plain, lowerAscii(name))));
    if (found.length === terms.length) return 'named';
    return found.length > 0 ? 'partly' : 'missing';
  };
}

/** Whether a text contains a name that is not part of a longer one. Its case must be equal. */
export function containsName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[\w./\\-]/.test(before) && !/^(?:[\w/\\-]|\.\w)/.test(after)) return true;
  }
  return false;
}
