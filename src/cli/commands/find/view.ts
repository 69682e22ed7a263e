import type { Place } from '#analysis/search/session-words.js';
import type { Snippet } from '#analysis/search/snippet.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import { type Block, type Doc, gap, hangingLine, line, type Span, span } from '#ui/doc/doc.js';
import type { FoundSession, ShownEntry } from './found-session.js';

/** A session with what was found in it, and the commands that go on from there. */
export function renderFoundSession(session: FoundSession, isFirst: boolean): Doc {
  const { title, agent, folder, entries, more, resume } = session;
  const newest = Math.max(...entries.map(({ found }) => found.time ?? 0));
  const facts = [agent, ...(folder === '' ? [] : [folder]), ...(newest > 0 ? [formatDay(newest)] : [])];
  const [best] = entries;
  return [
    ...(isFirst ? [] : [gap]),
    line(span(title, 'strong'), span(`  ${facts.join(' · ')}`, 'faint')),
    ...entries.map(renderEntry),
    ...(more > 0 ? [line(span(`  … and ${pluralize(more, 'more entry', 'more entries')}`, 'faint'))] : []),
    ...(best ? [renderCommand('look', best.open)] : []),
    ...(resume === null ? [] : [renderCommand('resume', resume)]),
  ];
}

function formatDay(time: number): string {
  return formatTime(time)?.slice(0, 'YYYY-MM-DD'.length) ?? '';
}

function renderEntry({ found, snippet }: ShownEntry): Block {
  const { entryId, line: number, name, place } = found;
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
  return { kind: 'whole', text: `  ${name}: ${command}` };
}

/** The extent of a search, and what it found. */
export interface FindScope {
  readonly sessions: number;
  readonly entries: number;
  readonly wants: 'all' | 'any';
}

export function describeScope({ sessions, entries, wants }: FindScope): string {
  const where = `searched ${pluralize(sessions, 'session')}`;
  if (entries === 0) return `nothing found; ${where}; for parts of words and signs: ctx grep PATTERN all --where all`;
  const found = `${formatCount(entries)} ${entries === 1 ? 'entry' : 'entries'}`;
  return wants === 'all' ? `${found}; ${where}` : `no entry has all words: ${found} with some of them; ${where}`;
}
