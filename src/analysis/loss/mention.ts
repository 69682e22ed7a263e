import type { FileNames } from '../facts/file-names.js';
import { asciiLower, comparable } from '../facts/text.js';

/** How much of something a summary says: all of it word for word, every name in it, some of them, or nothing. */
export type Mention = 'quoted' | 'named' | 'partly' | 'missing';

/** Says how a summary mentions a text with these names in it. Nothing is guessed: what is said in other words is missing. */
export type MentionOf = (said: { readonly text: string | null; readonly terms: readonly string[] }) => Mention;

/** `namesOf` gives the names of a term, any of which will do. */
export function mentionsIn(summary: string, namesOf: FileNames = (term) => [term]): MentionOf {
  const words = comparable(summary);
  const plain = asciiLower(summary);
  return ({ text, terms }) => {
    const wanted = text === null ? '' : comparable(text);
    if (wanted !== '' && words.includes(wanted)) return 'quoted';
    if (terms.length === 0) return 'missing';
    const found = terms.filter((term) => namesOf(term).some((name) => holds(plain, asciiLower(name))));
    if (found.length === terms.length) return 'named';
    return found.length > 0 ? 'partly' : 'missing';
  };
}

/** Whether a text holds a name that is not part of a longer one. */
function holds(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.slice(at + name.length, at + name.length + 2)];
    if (!/[\w./\\-]/.test(before) && !/^(?:[\w/\\-]|\.\w)/.test(after)) return true;
  }
  return false;
}
