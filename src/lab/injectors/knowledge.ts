import { defineBuiltinInjector, type Injector, type SourceText } from './define.js';
import { formatList, PLAIN_STYLE } from './list-style.js';

export default defineBuiltinInjector({
  name: 'knowledge',
  summary: 'The sections of the knowledge files that match the task, with their paths',
  phase: 'user-context',
  cache: 'session',
  priority: 20,
  maxTokens: 800,
  needs: 'files',
  top: 3,
  inject: findBestSections('From the documents', ({ path, heading, text }) => {
    return `From ${path}${heading === '' ? '' : `, ${heading}`}:\n${text}`;
  }),
});

export const playbook = defineBuiltinInjector({
  name: 'playbook',
  summary: 'The best matching strategy of the playbook files',
  phase: 'user-context',
  cache: 'session',
  priority: 30,
  maxTokens: 300,
  needs: 'files',
  top: 1,
  inject: findBestSections('Suggested approach', ({ heading, text }) =>
    heading === '' ? text : `${heading}:\n${text}`,
  ),
});

function findBestSections(title: string, shown: (section: Snippet) => string): Injector['inject'] {
  return async ({ query }, { texts, top }) => {
    const found = await findBest(splitSections(texts), query, top);
    return found.length === 0 ? null : { kind: 'text', heading: title, text: found.map(shown).join('\n\n') };
  };
}

export const memory = defineBuiltinInjector({
  name: 'memory',
  summary: 'Facts about the user: the best matching points of the memory files',
  phase: 'user-context',
  cache: 'session',
  priority: 10,
  maxTokens: 500,
  needs: 'files',
  top: 3,
  async inject({ query }, { texts, top }) {
    const points = listPoints(texts);
    if (points.length === 0) return null;
    const best = new Set([...(await findBest(points, query, top)), ...points]);
    const lines = [...best].slice(0, top).map(({ text }) => text);
    return { kind: 'text', heading: 'Facts about the user', text: formatList(lines, PLAIN_STYLE) };
  },
});

export const skillTexts = defineBuiltinInjector({
  name: 'skills',
  summary: 'The instructions of the skills in use',
  phase: 'system',
  cache: 'stable',
  priority: 30,
  maxTokens: 1000,
  inject({ observed: { skills } }) {
    if (skills.length === 0) return null;
    const texts = skills.toReversed().map(({ name, instructions }) => `## ${name}\n${instructions.trim()}`);
    return { kind: 'text', heading: 'Skills in use', text: texts.join('\n\n') };
  },
});

/** A piece of a text that can be shown alone. */
interface Snippet {
  readonly path: string;
  /** The headings above it, from the outermost; empty if there are none. */
  readonly heading: string;
  readonly text: string;
}

const LONGEST = 1200;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;

/** The sections of texts, a long one in several pieces of whole paragraphs. */
function splitSections(texts: readonly SourceText[]): readonly Snippet[] {
  return texts.flatMap(({ path, text }) =>
    groupBySection(text).flatMap(({ heading, lines }) =>
      splitPieces(lines.join('\n')).map((piece) => ({ path, heading, text: piece })),
    ),
  );
}

interface Section {
  readonly heading: string;
  readonly lines: string[];
}

function groupBySection(text: string): readonly Section[] {
  let above: readonly string[] = [];
  let current: Section = { heading: '', lines: [] };
  const sections = [current];
  let isFenced = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    const [, marks, title] = (isFenced ? null : HEADING.exec(line)) ?? [];
    if (marks === undefined || title === undefined) {
      current.lines.push(line);
      continue;
    }
    above = [...above.slice(0, marks.length - 1), title];
    current = { heading: above.filter((each) => each !== '').join(' › '), lines: [] };
    sections.push(current);
  }
  return sections;
}

function splitPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (const paragraph of text.trim().split(/\n{2,}/)) {
    const last = pieces.at(-1);
    if (paragraph.trim() === '') continue;
    if (last === undefined || last.length + paragraph.length > LONGEST) pieces.push(paragraph);
    else pieces[pieces.length - 1] = `${last}\n\n${paragraph}`;
  }
  return pieces;
}

/** The points of texts: each item of a list with what is indented below it, each other paragraph. */
function listPoints(texts: readonly SourceText[]): readonly Snippet[] {
  return texts.flatMap(({ path, text }) =>
    groupBySection(text).flatMap(({ heading, lines }) =>
      splitPoints(lines).map((point) => ({ path, heading, text: point })),
    ),
  );
}

function splitPoints(lines: readonly string[]): readonly string[] {
  const points: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const isItem = /^(?:[-*+]|\d{1,3}[.)])\s+/.test(line);
    const last = points.at(-1);
    if (line.trim() === '') isOpen = false;
    else if (!isItem && isOpen && last !== undefined) points[points.length - 1] = `${last} ${line.trim()}`;
    else {
      points.push(line.replace(/^(?:[-*+]|\d{1,3}[.)])\s+/, '').trim());
      isOpen = true;
    }
  }
  return points;
}

/** The longest query: text after it is not searched for. */
const LONGEST_QUERY = 2000;

/**
 * The snippets that match a query, best first, by BM25: words of a heading and of a path count more. Words
 * that say little are not looked for. Of equal ones the first comes first.
 */
async function findBest(snippets: readonly Snippet[], query: string, most: number): Promise<readonly Snippet[]> {
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
