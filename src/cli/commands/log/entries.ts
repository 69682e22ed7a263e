import { drawLanes } from '#analysis/listing/lanes.js';
import { passesFilter } from '#analysis/listing/log-filter.js';
import type { Problem } from '#base/errors.js';
import { asString } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { logEntries } from '#context/log-entries.js';
import { buildPriceList } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { EntryPreviews, nameEntry } from '#context/words/entry-text.js';
import { type Entry, messageOf } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { gap, line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { LogEntryLine } from './document.js';
import { findFirstMeasured, type LogQuery, type LogSelection, markEntries, needsContextSizes } from './query.js';
import { buildLogRow, createLogTable, type LogRow } from './table.js';

/** One item for each selected entry; diagnostics are added to `problems`. */
export function* listLogEntries(
  session: OpenSession,
  query: LogQuery,
  selection: LogSelection,
  problems: Problem[],
): Generator<Printable> {
  const { path, wanted } = selection;
  const { filter, template, flags } = query;
  const { heads, leaf } = session.tree;
  const findLabel = createLabelFinder(session);
  const previews = new EntryPreviews(session);
  const active = markEntries(heads.length, activePath(session.tree));
  const drawing = flags.graph ? drawGraph(session, query, selection, active) : null;
  const prices = buildPriceList();
  const tableFor = createLogTable({
    isShort: flags.oneline ?? false,
    // Pi records the cost of each call.
    isPriced: session.agent !== undefined,
    lineDigits: String(heads.last?.line ?? 0).length,
    graphCells: drawing?.cells ?? 0,
  });
  // While a log is followed, the next entry would be the head at once.
  const renderWhole = query.conversation?.({
    session,
    path,
    order: wanted,
    isDocument: query.format === 'markdown',
    isOpen: true,
    hasHidden: true,
  });
  const headIndex = flags.follow ? undefined : leaf?.index;
  let isFirst = !query.isFollowing;
  const from = needsContextSizes(query) ? findFirstMeasured(selection) : path.length;
  for (const item of logEntries(session, { path, wanted, from }, problems)) {
    if (!passesFilter(item.entry, filter)) continue;
    const { index } = item.head;
    const label = findLabel(item.head);
    const preview = previews.preview(item.head, item.entry);
    const name = nameEntry(item.head, session);
    const row = buildLogRow(item, { name, label, preview, prices });
    const beside = { graph: drawing?.draw(index) ?? '', isHead: index === headIndex };
    const hasTitles = isFirst;
    isFirst = false;
    if (renderWhole) {
      const doc = renderWhole(item.head);
      // A blank line separates it from what was printed before.
      const before = hasTitles || !query.isFollowing ? [] : [gap];
      if (doc.length > 0) yield { data: null, doc: () => [...before, ...doc] };
      continue;
    }
    yield {
      data: query.format === 'json' ? toLogEntryLine(row, item.entry, active[index] === 1) : null,
      doc: (view) =>
        template
          ? [{ kind: 'whole', text: template.format(row) }]
          : [...(hasTitles ? tableFor(view).titles() : []), tableFor(view).line(row, beside)],
    };
  }
  if (isFirst) yield* addRemarkForPeople(query, 'no entries');
}

function toLogEntryLine(row: LogRow, entry: Entry, isActive: boolean): LogEntryLine {
  const { head, name: _, ...shown } = row;
  return {
    schema: 'ctx/log-entry',
    schemaVersion: 1,
    entryId: formatId(head.id),
    parentId: formatId(head.parentId),
    line: head.line,
    type: head.type,
    role: head.role,
    time: formatTime(head.time),
    ...readToolOutcome(entry),
    ...shown,
    isActive,
  };
}

function readToolOutcome(entry: Entry): Pick<LogEntryLine, 'toolName' | 'isError'> {
  const message = messageOf(entry);
  if (message?.role !== 'toolResult') return { toolName: null, isError: null };
  return { toolName: asString(message.toolName), isError: message.isError === true };
}

/** A line for people; scripts are given entries and nothing else. */
export function* addRemarkForPeople({ template, format }: LogQuery, text: string): Generator<Printable> {
  if (!template && format !== 'json') yield { data: null, doc: () => [line(span(text, 'faint'))] };
}

/**
 * The label of an entry: that of the last label entry about it, if it is later in the file, as Pi writes them. So the
 * end of a file is enough for the labels of its entries.
 */
function createLabelFinder(session: Session): (head: Head) => string | null {
  const { heads } = session.tree;
  const labels = new Map<number, Head>();
  for (const label of heads.ofType('label')) labels.set(heads.targetAt(label.index), label);
  return ({ index }) => {
    const label = heads.entryOfIdAt(index) === index ? labels.get(index) : undefined;
    return label && label.index > index ? asString(session.entry(label).label) || null : null;
  };
}

function drawGraph({ tree: { heads } }: Session, { range }: LogQuery, { all }: LogSelection, active: Uint8Array) {
  const isPath = range !== undefined;
  const lanes = drawLanes(Int32Array.from(all, (index, at) => (isPath ? at - 1 : heads.parentAt(index))));
  let at = 0;
  return {
    cells: lanes.cells,
    /** The drawing beside an entry; entries are passed in file order. */
    draw(index: number): string {
      while (all[at] !== index && at < all.length) at += 1;
      return lanes.drawn(at, active[index] === 1);
    },
  };
}
