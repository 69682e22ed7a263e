import { inEscapes, type Span } from './exact-values.js';
import { plainOf } from './value-pattern.js';

/** The stretches that the user's patterns match: all of a match or, where there is one, its group `secret`. */
export function* findOwn(text: string, patterns: readonly RegExp[]): Generator<Span> {
  for (const pattern of patterns) {
    for (const { index, 0: whole, indices } of text.matchAll(pattern)) {
      const [from, to] = indices?.groups?.['secret'] ?? [index, index + whole.length];
      if (from === to) continue;
      const { start, end } = inEscapes(text, from, to);
      yield { start, end, plain: plainOf(text.slice(from, to)), kind: 'pattern' };
    }
  }
}
