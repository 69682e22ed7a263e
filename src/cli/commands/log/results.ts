import { buildHeadFilter, findLastMatching, type LogFilter, passesFilter } from '#analysis/listing/filters.js';
import { drawLanes } from '#analysis/listing/lanes.js';
import type { Problem } from '#base/errors.js';
import { asObject, asString, type JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { buildPriceList } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { logEntries } from '#context/replay/log.js';
import { EntryPreviews } from '#context/words/entry-text.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { resolveRange } from '#session/tree/revision.js';
import { activePath, pathTo } from '#session/tree/tree.js';
import { gap, line, type Printable, span } from '#ui/doc/doc.js';
import type { createEntryRenderer } from '../export/formats/transcript.js';
import type { LogInput } from './command.js';
import type { LogEntryLine } from './document.js';
import { buildLogRow, createLogTable, type LogRow, type LogTemplate } from './view.js';

/** The selection of a log, and its layout. */
export interface LogQuery {
  readonly range: string | undefined;
  readonly filter: LogFilter;
  readonly lines: LogTemplate | undefined;
  /** Makes the document of an entry with its whole text; null for a list of entries. */
  readonly conversation: typeof createEntryRenderer | null;
  readonly format: string;
  /** The list continues one that is already printed: without titles, and without a note when nothing is new. */
  readonly isFollowing?: boolean;
  readonly flags: Pick<LogInput['flags'], 'last' | 'all' | 'graph' | 'reverse' | 'oneline' | 'follow'>;
}

export interface LogSelection {
  /** The path that is logged, or the active one. */
  readonly path: readonly Head[];
  /** The entries that filters select from, as indexes of the file. */
  readonly all: readonly number[];
  /** The entries to filter, in the order of printing. */
  readonly wanted: readonly number[];
}

/** The entries of a log. Throws a CtxError (usage) for a range that does not exist. */
export function selectLogEntries(session: Session, { range, flags, filter }: LogQuery): LogSelection {
  const { heads } = session.tree;
  const isAll = flags.all || (flags.graph && range === undefined);
  const { from, to } = resolveRange(session, range ?? 'HEAD');
  const path = to ? pathTo(session.tree, to) : [];
  const above = marks(
    heads.length,
    (from ? pathTo(session.tree, from) : []).map(({ index }) => index),
  );
  const ofPath = path.flatMap(({ index }) => (above[index] ? [] : [index]));
  const all = isAll ? Array.from({ length: heads.length }, (_, index) => index) : ofPath;
  const candidates = all.filter(buildHeadFilter(heads, filter));
  const chosen = flags.last === undefined ? candidates : findLastMatching(session, candidates, filter, flags.last);
  return { path, all, wanted: flags.reverse ? chosen.toReversed() : chosen };
}

/** 1 for each of some entries, by their indexes. */
function marks(length: number, indexes: readonly number[]): Uint8Array {
  const marked = new Uint8Array(length);
  for (const index of indexes) marked[index] = 1;
  return marked;
}

/** Whether the output needs the size of the context. */
export function needsContextSizes({ lines, conversation, format, flags }: LogQuery): boolean {
  if (conversation) return false;
  return lines ? lines.asksForContext : format === 'json' || !flags.oneline;
}

/** One report for each selected entry; diagnostics are added to `problems`. */
export function* listLogResults(
  session: OpenSession,
  wish: LogQuery,
  selection: LogSelection,
  problems: Problem[],
): Generator<Printable> {
  const { path, wanted } = selection;
  const { filter, lines, flags } = wish;
  const { heads, leaf } = session.tree;
  const labelOf = labelsBelow(session);
  const previews = new EntryPreviews(session);
  const active = marks(
    heads.length,
    activePath(session.tree).map(({ index }) => index),
  );
  const drawing = flags.graph ? drawings(session, wish, selection, active) : null;
  const prices = buildPriceList();
  const tableFor = createLogTable({
    isShort: flags.oneline ?? false,
    // Pi records the cost of each call.
    isPriced: session.foreign !== undefined,
    lineDigits: String(heads.last?.line ?? 0).length,
    graphCells: drawing?.cells ?? 0,
  });
  // While a log is followed, the next entry would be the head at once.
  const docOf = wish.conversation?.({ session, path });
  const headIndex = flags.follow ? undefined : leaf?.index;
  let isFirst = !wish.isFollowing;
  const from = needsContextSizes(wish) ? findFirstMeasured(heads.length, selection) : path.length;
  for (const item of logEntries(session, { path, wanted, from }, problems)) {
    if (!passesFilter(item.entry, filter)) continue;
    const { index } = item.head;
    const [label, preview] = [labelOf(item.head), previews.textOf(item.head, item.entry)];
    const row = buildLogRow(item, { label, preview, prices });
    const beside = { graph: drawing?.of(index) ?? '', isHead: index === headIndex };
    const hasTitles = isFirst;
    isFirst = false;
    if (docOf) {
      const doc = [...(hasTitles ? [] : [gap]), ...docOf(item.head)];
      yield { data: null, doc: () => doc };
      continue;
    }
    yield {
      data: wish.format === 'json' ? entryLine(row, item.entry, active[index] === 1) : null,
      doc: (view) =>
        lines
          ? [{ kind: 'whole', text: lines.lineOf(row) }]
          : [...(hasTitles ? tableFor(view).titles() : []), tableFor(view).line(row, beside)],
    };
  }
  if (isFirst) yield* remarkToPeople(wish, 'no entries');
}

function entryLine(row: LogRow, entry: JsonObject, isActive: boolean): LogEntryLine {
  const { head, ...shown } = row;
  return {
    schema: 'ctx/log-entry',
    schemaVersion: 1,
    entryId: formatId(head.id),
    parentId: formatId(head.parentId),
    line: head.line,
    type: head.type,
    role: head.role,
    time: formatTime(head.time),
    ...outcomeOf(head, entry),
    ...shown,
    isActive,
  };
}

function outcomeOf({ role }: Head, entry: JsonObject): Pick<LogEntryLine, 'toolName' | 'isError'> {
  if (role !== 'toolResult') return { toolName: null, isError: null };
  const { toolName, isError } = asObject(entry['message']);
  return { toolName: asString(toolName), isError: isError === true };
}

/** A line for people; scripts are given entries and nothing else. */
export function* remarkToPeople({ lines, format }: LogQuery, text: string): Generator<Printable> {
  if (!lines && format !== 'json') yield { data: null, doc: () => [line(span(text, 'faint'))] };
}

/**
 * The label of an entry: that of the last label entry about it, if it is later in the file, as Pi writes them. So the
 * end of a file is enough for the labels of its entries.
 */
function labelsBelow(session: Session): (head: Head) => string | null {
  const { heads } = session.tree;
  const labels = new Map<number, Head>();
  for (const label of heads.ofType('label')) labels.set(heads.targetAt(label.index), label);
  return ({ index }) => {
    const label = heads.resolvedAt(index) === index ? labels.get(index) : undefined;
    return label && label.index > index ? asString(session.entry(label)['label']) || null : null;
  };
}

/** The first entry of the path whose context size is needed. */
export function findFirstMeasured(length: number, { path, wanted }: LogSelection): number {
  const isWanted = marks(length, wanted);
  const first = path.findIndex(({ index }) => isWanted[index] === 1);
  return first === -1 ? path.length : first;
}

function drawings({ tree: { heads } }: Session, { range }: LogQuery, { all }: LogSelection, active: Uint8Array) {
  const isPath = range !== undefined;
  const lanes = drawLanes(Int32Array.from(all, (index, at) => (isPath ? at - 1 : heads.parentAt(index))));
  let at = 0;
  return {
    cells: lanes.cells,
    /** The drawing beside an entry; entries are passed in file order. */
    of(index: number): string {
      while (all[at] !== index && at < all.length) at += 1;
      return lanes.drawn(at, active[index] === 1);
    },
  };
}
