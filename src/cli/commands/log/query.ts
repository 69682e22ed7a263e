import { buildHeadFilter, findLastMatching, type LogFilter } from '#analysis/listing/log-filter.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { resolveRange } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import type { createConversationRenderer } from '#ui/parts/conversation-view.js';
import type { LogTemplate } from './template.js';

interface LogFlags {
  readonly max?: number | undefined;
  readonly all?: boolean | undefined;
  readonly graph?: boolean | undefined;
  readonly reverse?: boolean | undefined;
  readonly oneline?: boolean | undefined;
  readonly follow?: boolean | undefined;
}

/** The selection of a log, and its layout. */
export interface LogQuery {
  readonly range: string | undefined;
  readonly filter: LogFilter;
  readonly template: LogTemplate | undefined;
  /** Renders the entries with their whole texts; null for a list of entries. */
  readonly conversation: typeof createConversationRenderer | null;
  readonly format: string;
  /** The list continues one that is already printed: without titles, and without a note when nothing is new. */
  readonly isFollowing?: boolean;
  readonly flags: LogFlags;
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
  const above = markEntries(heads.length, from ? pathTo(session.tree, from) : []);
  const ofPath = path.flatMap(({ index }) => (above[index] ? [] : [index]));
  const all = isAll ? Array.from({ length: heads.length }, (_, index) => index) : ofPath;
  const candidates = all.filter(buildHeadFilter(heads, filter));
  const chosen = flags.max === undefined ? candidates : findLastMatching(session, candidates, filter, flags.max);
  return { path, all, wanted: flags.reverse ? chosen.toReversed() : chosen };
}

/** Whether the output needs the size of the context. */
export function needsContextSizes({ template, conversation, format, flags }: LogQuery): boolean {
  if (conversation) return false;
  return template ? template.asksForContext : format === 'json' || !flags.oneline;
}

/** The first entry of the path whose context size is needed. */
export function findFirstMeasured({ path, wanted }: LogSelection): number {
  const isWanted = new Set(wanted);
  const first = path.findIndex(({ index }) => isWanted.has(index));
  return first === -1 ? path.length : first;
}

/** 1 for each of some entries, by their indexes. */
export function markEntries(length: number, entries: readonly Pick<Head, 'index'>[]): Uint8Array {
  const marks = new Uint8Array(length);
  for (const { index } of entries) marks[index] = 1;
  return marks;
}
