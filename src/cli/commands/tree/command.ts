import { buildTreeFilter, TREE_FILTERS, type TreeFilter } from '#analysis/listing/tree-filter.js';
import { batchItems } from '#base/batches.js';
import { formatTime } from '#base/time.js';
import type { OpenSession } from '#context/open.js';
import { EntryPreviews, nameEntry } from '#context/words/entry-text.js';
import { formatId, type Head } from '#session/heads/head.js';
import { indexLabels } from '#session/session.js';
import { type Forest, forestOf, ROOT } from '#session/tree/forest.js';
import { type OutlineChoice, outlineOf, type OutlineRow } from '#session/tree/outline.js';
import { resolveRevision } from '#session/tree/revision.js';
import type { Tree } from '#session/tree/tree.js';
import type { Printable } from '#ui/doc/renderer.js';
import { countFittingForks, createConnectors } from '#ui/parts/connectors.js';
import { findStray, renderTreeEnd, renderTreeRow, type TreeRow } from '#ui/parts/tree-view.js';
import { defineCommand } from '../define.js';
import { choiceFlag, hiddenFlag, positiveFlag, textFlag } from '../flags.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import type { TreeEntryLine } from './document.js';

const FLAGS = {
  filter: choiceFlag('FILTER', TREE_FILTERS, 'the entries to show (default: "default"; with --json: "all")'),
  depth: positiveFlag('N', 'show at most N levels, counted from the displayed roots'),
  from: { ...hiddenFlag(textFlag('REV', 'show this entry and its descendants')), excludes: ['[rev]'] },
};

export default defineCommand({
  name: 'tree',
  summary: "Show a session's branches as a tree",
  description:
    'Shows the entries of a session as a tree, like /tree in Pi. The active path is marked, labels are in brackets, ' +
    'and indentation marks forks. Changes nothing.',
  args: [
    sessionArgument,
    { ...revisionArgument, help: 'show this entry and its descendants (default: the root); see ctx help revisions' },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx tree',
    'ctx tree session.jsonl --filter user-only',
    'ctx tree session.jsonl HEAD~4 --depth 3',
    'ctx tree session.jsonl --json',
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const session = await openNamedSession(input, args[0]);
    const revision = args[1] ?? flags.from;
    const from = revision === undefined ? null : (resolveRevision(session, revision)?.index ?? null);
    const filter = flags.filter ?? (format === 'json' ? 'all' : 'default');
    const query: TreeQuery = { filter, from, depth: flags.depth ?? Infinity };
    const facts: TreeFacts = {
      session,
      forest: forestOf(session.tree),
      labels: indexLabels(session),
      active: markActivePath(session.tree),
    };
    const { file, problems } = session;
    const mostForks = countFittingForks(Math.min(io.stdout.columns, WIDEST));
    const items = format === 'json' ? listDocuments(query, facts) : listRows(query, facts, mostForks);
    return { kind: 'stream', batches: batchItems(items), end: () => ({ file, problems }) };
  },
});

/** The width that limits connectors without a terminal: they take at most a part of it. */
const WIDEST = 240;

/** The entries to show. */
interface TreeQuery extends Pick<OutlineChoice, 'from' | 'depth'> {
  readonly filter: TreeFilter;
}

/** A session, with the facts about it that need no parsed entry. */
interface TreeFacts {
  readonly session: OpenSession;
  readonly forest: Forest;
  readonly labels: ReadonlyMap<number, string>;
  /** For each entry, 1 if it is on the path to the leaf. */
  readonly active: Uint8Array;
}

/** One line for each entry, and a last one where entries are hidden. */
function* listRows({ filter, from, depth }: TreeQuery, facts: TreeFacts, mostForks: number): Generator<Printable> {
  const { session, forest, labels } = facts;
  const { isVisible, countHidden } = createHiddenCounter(buildTreeFilter(session, filter, labels));
  const drawConnector = createConnectors(mostForks);
  const previews = new EntryPreviews(session);
  for (const row of outlineOf(forest, { isVisible, from, depth })) {
    const head = session.tree.heads.at(row.index);
    if (!head) continue;
    const connector = drawConnector(row);
    const line = buildTreeRow(facts, row, { head, isDeepest: row.depth === depth });
    yield { data: null, doc: ({ format }) => [renderTreeRow(line, previews.preview(head), connector, format)] };
  }
  yield { data: null, doc: () => renderTreeEnd(session.tree.heads.length, countHidden()) };
}

/** Counts the entries that a filter hides. An outline asks for each entry once. */
function createHiddenCounter(passes: (index: number) => boolean): {
  isVisible(index: number): boolean;
  countHidden(): number;
} {
  let hidden = 0;
  return {
    isVisible(index) {
      const isVisible = passes(index);
      if (!isVisible) hidden += 1;
      return isVisible;
    },
    countHidden: () => hidden,
  };
}

function buildTreeRow(
  { session, forest, labels, active }: TreeFacts,
  row: OutlineRow,
  { head, isDeepest }: { readonly head: Head; readonly isDeepest: boolean },
): TreeRow {
  return {
    head,
    name: nameEntry(head, session),
    label: labels.get(row.index) ?? null,
    isActive: active[row.index] === 1,
    isLeaf: row.index === session.tree.leaf?.index,
    strayed: findStray(session, forest, head),
    cut: isDeepest ? row.children : 0,
  };
}

/** The lines of JSON, from heads alone: no entry is parsed. */
function* listDocuments({ filter, from, depth }: TreeQuery, facts: TreeFacts): Generator<Printable> {
  const { session, forest, labels } = facts;
  const isVisible = buildTreeFilter(session, filter, labels);
  for (const row of outlineOf(forest, { isVisible, from, depth }))
    yield { data: buildTreeEntry(facts, row), doc: () => [] };
}

function buildTreeEntry({ session, labels, active }: TreeFacts, { index, depth, children }: OutlineRow): TreeEntryLine {
  const { heads, leaf } = session.tree;
  return {
    schema: 'ctx/tree-entry',
    schemaVersion: 1,
    entryId: formatId(heads.idAt(index, 'id')),
    parentId: formatId(heads.idAt(index, 'parentId')),
    line: heads.lineAt(index),
    offset: heads.offsetAt(index),
    length: heads.lengthAt(index),
    type: heads.typeAt(index),
    role: heads.roleAt(index),
    time: formatTime(heads.timeAt(index)),
    depth,
    children,
    isActive: active[index] === 1,
    isLeaf: index === leaf?.index,
    label: labels.get(index) ?? null,
    target: formatId(heads.idAt(index, 'target')),
  };
}

function markActivePath({ heads, leaf }: Tree): Uint8Array {
  const active = new Uint8Array(heads.length);
  for (let next = leaf?.index ?? ROOT; next !== ROOT && active[next] === 0; next = heads.parentAt(next))
    active[next] = 1;
  return active;
}
