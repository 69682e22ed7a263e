import type { Place } from '#analysis/search/session-words.js';
import type { Snippet } from '#analysis/search/snippet.js';
import { pluralize } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import { type Block, commandLine, type Doc, gap, hangingLine, line, type Span, span } from '#ui/doc/doc.js';
import type { SessionWithMatches, ShownEntry } from './found-session.js';
import type { TermCount } from './search-index.js';

/** A session with what was found in it, and the commands that go on from there. */
export function renderFoundSession(session: SessionWithMatches, isFirst: boolean): Doc {
  const { title, agent, folder, entries, copies, more, resume } = session;
  const newest = Math.max(...entries.map(({ found }) => found.time ?? 0));
  const facts = [agent, ...(folder === '' ? [] : [folder]), ...(newest > 0 ? [formatDay(newest)] : [])];
  const [best] = entries;
  return [
    ...(isFirst ? [] : [gap]),
    line(span(title, 'strong'), span(`  ${facts.join(' · ')}`, 'faint')),
    ...entries.map(renderEntry),
    ...(more > 0 ? [line(span(`  … and ${pluralize(more, 'more entry', 'more entries')}`, 'faint'))] : []),
    ...renderCopies(copies),
    ...(best ? [renderCommand('look', best.open)] : []),
    ...(resume === null ? [] : [renderCommand('resume', resume)]),
  ];
}

/** The sessions with copies of what was found, by name if there are few. */
function renderCopies(copies: readonly string[]): Doc {
  if (copies.length === 0) return [];
  const more = copies.length > MOST_COPIES ? ', …' : '';
  const names = `${copies.slice(0, MOST_COPIES).join(', ')}${more}`;
  return [hangingLine(HANGING, span(`  also in ${pluralize(copies.length, 'copy', 'copies')}: ${names}`, 'faint'))];
}

const MOST_COPIES = 3;

function formatDay(time: number): string {
  return formatTime(time)?.slice(0, 'YYYY-MM-DD'.length) ?? '';
}

function renderEntry({ found, name, snippet }: ShownEntry): Block {
  const { entryId, line: number, place } = found;
  const id = entryId === null ? `line ${number}` : entryId.slice(0, ID_CELLS);
  const mark = MARKS[place];
  return hangingLine(
    HANGING,
    span(`  ${id.padEnd(ID_CELLS)}  `, 'id'),
    span(`${name}${mark === null ? '' : ` (${mark})`}: `, 'faint'),
    ...renderSnippet(snippet),
  );
}

const ID_CELLS = 8;
const HANGING = 4;

const MARKS: Readonly<Record<Place, string | null>> = {
  context: null,
  hidden: 'the model no longer sees it',
  branch: 'on another branch',
};

function renderSnippet(snippet: Snippet | null): readonly Span[] {
  if (!snippet) return [span('the text has changed since', 'faint')];
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end } of snippet.matches) {
    spans.push(span(snippet.text.slice(at, start)), span(snippet.text.slice(start, end), 'strong'));
    at = end;
  }
  spans.push(span(snippet.text.slice(at)));
  return spans.filter(({ text }) => text !== '');
}

/** A command line, which is never cut. */
function renderCommand(name: string, command: string): Block {
  return commandLine(`  ${name}: `, command);
}

/** The line above entries that have only some of the terms. */
export function renderTerms(terms: readonly TermCount[]): Doc {
  return [hangingLine(HANGING, span(describeTerms(terms), 'warning'))];
}

export function describeTerms(terms: readonly TermCount[]): string {
  const counts = terms.map(({ text, sessions }) => {
    return `${text}: ${sessions === 0 ? 'nowhere' : pluralize(sessions, 'session')}`;
  });
  return `no entry has all ${terms.length} words; ${counts.join(', ')}`;
}

/** The number of sessions that are not printed, and the flag that prints more of them. */
export function renderMore(more: number, next: number): Doc {
  return [gap, line(span(`… and ${pluralize(more, 'more session')}: -n ${next}`, 'faint'))];
}

/** The extent of a search, and what it found. */
export interface FindScope {
  readonly sessions: number;
  readonly entries: number;
}

export function describeFoundScope({ sessions, entries }: FindScope): string {
  const where = `searched ${pluralize(sessions, 'session')}`;
  if (entries === 0) return `nothing found; ${where}; for parts of words and signs: ctx grep PATTERN all --where all`;
  return `${pluralize(entries, 'entry', 'entries')}; ${where}`;
}
