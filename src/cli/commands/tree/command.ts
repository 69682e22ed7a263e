import { buildTreeFilter, TREE_FILTERS, type TreeFilter } from '#analysis/listing/filters.js';
import type { OpenSession } from '#context/open.js';
import { EntryPreviews } from '#context/words/entry-text.js';
import type { Head } from '#session/heads/head.js';
import { indexLabels } from '#session/session.js';
import { type Forest, forestOf, ROOT } from '#session/tree/forest.js';
import { type OutlineChoice, outlineOf, type OutlineRow } from '#session/tree/outline.js';
import { resolveRevision } from '#session/tree/revision.js';
import type { Tree } from '#session/tree/tree.js';
import type { Printable } from '#ui/doc/doc.js';
import { findStray, renderTreeEnd, renderTreeRow, type TreeRow } from '#ui/parts/tree-view.js';
import { defineCommand } from '../define.js';
import { choiceFlag, positiveFlag, textFlag } from '../flags.js';
import { openNamedSession, sessionArgument } from '../session.js';
import { treeJson } from './json.js';

const FLAGS = {
  filter: choiceFlag('FILTER', TREE_FILTERS, 'the entries to show (default: "default"; with --json: "all")'),
  depth: positiveFlag('N', 'show at most N levels, counted from the displayed roots'),
  from: textFlag('REV', 'show this entry and its descendants'),
};

export default defineCommand({
  name: 'tree',
  summary: "Show a session's branches as a tree",
  description:
    'Shows the entries of a session as a tree, like /tree in Pi. The active path is marked, labels are in brackets, ' +
    'and indentation marks forks. Changes nothing.',
  args: [sessionArgument],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx tree',
    'ctx tree session.jsonl --filter user-only',
    'ctx tree session.jsonl --from HEAD~4 --depth 3',
    'ctx tree session.jsonl --json',
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const session = await openNamedSession(input, args[0]);
    const from = flags.from === undefined ? null : (resolveRevision(session, flags.from)?.index ?? null);
    const filter = flags.filter ?? (format === 'json' ? 'all' : 'default');
    const shown: Shown = {
      session,
      filter,
      from,
      depth: flags.depth ?? Infinity,
      forest: forestOf(session.tree),
      labels: indexLabels(session),
      active: markActivePath(session.tree),
    };
    const { file, problems } = session;
    if (format === 'json') return { kind: 'bytes', bytes: json(shown), isJsonLines: true, file, problems };
    const items = listRows(shown, countFittingForks(Math.min(io.stdout.columns, WIDEST)));
    return { kind: 'stream', items, end: () => ({ file, problems }) };
  },
});

/** The width that limits connectors without a terminal: they take at most a part of it. */
const WIDEST = 240;

/** The query, and the facts about the session that need no parsed entry. */
interface Shown extends Pick<OutlineChoice, 'from' | 'depth'> {
  readonly session: OpenSession;
  readonly filter: TreeFilter;
  readonly forest: Forest;
  readonly labels: ReadonlyMap<number, string>;
  /** Of each entry, 1 if it is on the path to the leaf. */
  readonly active: Uint8Array;
}

/** One line for each entry, and a last one where entries are hidden. */
function* listRows(shown: Shown, mostForks: number): Generator<Printable> {
  const { session, forest, from, depth } = shown;
  const passes = buildTreeFilter(session, shown.filter, shown.labels);
  let hidden = 0;
  const isVisible = (index: number): boolean => {
    const isPassed = passes(index);
    if (!isPassed) hidden += 1;
    return isPassed;
  };
  const drawConnector = createConnectors(mostForks);
  const previews = new EntryPreviews(session);
  for (const row of outlineOf(forest, { isVisible, from, depth })) {
    const head = session.tree.heads.at(row.index);
    if (!head) continue;
    const connector = drawConnector(row);
    const line = buildTreeRow(shown, row, head);
    yield { data: null, doc: ({ format }) => [renderTreeRow(line, previews.textOf(head), connector, format)] };
  }
  yield { data: null, doc: () => renderTreeEnd(session.tree.heads.length, hidden) };
}

function buildTreeRow({ session, forest, labels, active, depth }: Shown, row: OutlineRow, head: Head): TreeRow {
  return {
    head,
    label: labels.get(row.index) ?? null,
    isActive: active[row.index] === 1,
    isLeaf: row.index === session.tree.leaf?.index,
    strayed: findStray(session, forest, head),
    cut: row.depth === depth ? row.children : 0,
  };
}

function json({ session, forest, filter, labels, from, depth, active }: Shown): Generator<Uint8Array> {
  const isVisible = buildTreeFilter(session, filter, labels);
  const { heads, leaf } = session.tree;
  const facts = { heads, labels, active, leaf: leaf?.index, isStrict: session.isStrict };
  return treeJson(outlineOf(forest, { isVisible, from, depth }), facts);
}

function markActivePath({ heads, leaf }: Tree): Uint8Array {
  const active = new Uint8Array(heads.length);
  for (let next = leaf?.index ?? ROOT; next !== ROOT && active[next] === 0; next = heads.parentAt(next))
    active[next] = 1;
  return active;
}

const BELOW = '│  ';
const BLANK = '   ';
/** Longer runs of forks are counted, since a line could hold nothing else. */
const FEWEST_FORKS = 4;
const CELLS_OF_A_FORK = 3;
const OTHERS = 2;

/** The number of nested forks that leave half of a line for its text. */
export function countFittingForks(columns: number): number {
  return Math.max(FEWEST_FORKS, Math.floor(columns / OTHERS / CELLS_OF_A_FORK));
}

/**
 * The connectors before each row, which is passed in order: `├─ ` and `└─ ` at children of a fork, `│  ` next to their
 * descendants. Beyond `mostForks`, the outer forks are omitted and counted: `…12 ├─ `.
 */
export function createConnectors(mostForks: number): (row: OutlineRow) => string {
  /** For each fork of the previous row, whether that row is the fork's last child. */
  let isLastAt = new Uint8Array(16);
  let above: { readonly place: OutlineRow['place']; readonly text: string } | null = null;
  return (row) => {
    const { place } = row;
    // An only child is indented like its parent, if that is one too.
    above = { place, text: place === 'only' && above?.place === 'only' ? above.text : drawBefore(row) };
    return above.text;
  };

  function drawBefore({ forks, place }: OutlineRow): string {
    if (forks >= isLastAt.length) isLastAt = enlarge(isLastAt, forks * 2);
    if (place !== 'only') isLastAt[forks] = place === 'last' ? 1 : 0;
    const first = Math.max(1, forks - mostForks + 1);
    let line = first === 1 ? '' : `…${first - 1} `;
    const ends = place === 'only' ? forks : forks - 1;
    for (let fork = first; fork <= ends; fork += 1) line += isLastAt[fork] === 1 ? BLANK : BELOW;
    return place === 'only' ? line : `${line}${place === 'last' ? '└─ ' : '├─ '}`;
  }
}

function enlarge(values: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const room = new Uint8Array(length);
  room.set(values);
  return room;
}
