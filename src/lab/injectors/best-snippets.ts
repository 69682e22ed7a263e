import type { Snippet } from './snippets.js';

/** The longest query: text after it is not searched for. */
const LONGEST_QUERY = 2000;

/**
 * The snippets that match a query, best first, by BM25: words of a heading and of a path count more. Words
 * that say little are not looked for. Of equal ones the first comes first.
 */
export async function findBest(snippets: readonly Snippet[], query: string, most: number): Promise<readonly Snippet[]> {
  const { default: MiniSearch } = await import('minisearch');
  const index = new MiniSearch<Snippet & { readonly id: number }>({
    fields: ['heading', 'path', 'text'],
    processTerm: toTerm,
  });
  index.addAll(snippets.map((snippet, id) => ({ ...snippet, id })));
  const found = index.search(query.slice(0, LONGEST_QUERY), {
    boost: { heading: 2, path: 1.5 },
    prefix: (term) => term.length >= SHORTEST_PREFIX,
  });
  return found
    .map(({ id, score }) => ({ at: Number(id), score: Math.round(score * PRECISION) }))
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, most)
    .flatMap(({ at }) => snippets[at] ?? []);
}

const SHORTEST_PREFIX = 4;
/** Machines may differ in the last digit of a logarithm. */
const PRECISION = 1e6;

function toTerm(term: string): string | null {
  const word = term.toLowerCase();
  return word.length < 2 || SAYS_LITTLE.has(word) ? null : word;
}

const SAYS_LITTLE: ReadonlySet<string> = new Set(
  'an and are as at be but by can could did do does for from had has have he her his how if in into is it its me my no not of on or our out please she should so that the their them then there these they this to up us was we were what when where which who why will with would you your'.split(
    ' ',
  ),
);
