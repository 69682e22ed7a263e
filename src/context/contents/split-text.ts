import type { ContentLabel, LabelledText } from './kinds.js';

/** The pieces that a text is divided into; what follows the last of them belongs to it. */
export const MOST_PIECES = 500;

/**
 * Divides a text before each match of a pattern with the flag `g`. What precedes the first match introduces it, and
 * belongs to its piece. Without a match the whole text is one piece with the label `otherwise`.
 */
export function splitBefore(
  text: string,
  pattern: RegExp,
  labelOf: (match: RegExpExecArray) => Omit<LabelledText, 'text'>,
  otherwise: ContentLabel,
): readonly LabelledText[] {
  const matches: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    if (matches.length === MOST_PIECES) break;
    matches.push(match);
  }
  if (matches.length === 0) return [{ ...otherwise, text }];
  return matches.map((match, at) => ({
    ...labelOf(match),
    text: text.slice(at === 0 ? 0 : match.index, matches[at + 1]?.index ?? text.length),
  }));
}
