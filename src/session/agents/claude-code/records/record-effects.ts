import { asObject, asString, type JsonObject, listObjects, listTexts } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import type { LineFields } from '../../../scan/line-fields.js';
import type { LineSpan } from '../../../scan/lines.js';
import type { ClientTotals } from '../../define.js';
import { readClientTotals } from '../content/usage.js';
import { type Boundary, readBoundary } from './boundary.js';
import { CLAUDE_FIELD, kindOf, KNOWN_TEXT, RECORD_TYPE, TITLE_RECORDS } from './fields.js';
import type { RecordIndex } from './record-index.js';
import { findRewind, type Rewind } from './rewind.js';

/** The effects of the few lines that say something of other records, or of the session. */
export interface RecordEffects {
  /** The boundaries of compactions, in the order of the records. */
  readonly boundaries: ReadonlyMap<number, Boundary>;
  /** The calls whose results a record cleared. */
  readonly cleared: ReadonlyMap<number, readonly number[]>;
  /** The texts that the model was shown instead of results, by the call. */
  readonly replacements: ReadonlyMap<number, Replacement>;
  /** The lines that replace some messages by a summary. */
  readonly collapses: readonly number[];
  /** The lines of a subagent that name the messages with which it began, of the session that started it. */
  readonly contextRefs: readonly number[];
  /** Where the client resumes, if not at the newest record. */
  readonly rewind: Rewind | null;
  /** The title of the session; null without one. */
  readonly title: Title | null;
  /** The newest sums of the client. */
  readonly clientTotals: ClientTotals | null;
}

/** A text that the model was shown instead of a result: its line, and its place in the list there. */
interface Replacement {
  readonly line: number;
  readonly place: number;
}

interface Title {
  readonly line: number;
  readonly text: string;
}

/** `valueOf`: the value of a line. */
export function readEffects(
  fields: LineFields,
  index: RecordIndex,
  sessionId: string,
  valueOf: (span: LineSpan) => JsonObject,
): RecordEffects {
  const valueAt = (line: number): JsonObject => valueOf(fields.span(line));
  const withoutPlace = index.others.filter((line) => index.types[line] === 0);
  const linesOf = (type: number): readonly number[] =>
    withoutPlace.filter((line) => fields.textAt(line, CLAUDE_FIELD.type) === type);
  return {
    boundaries: readBoundaries(fields, index, valueAt),
    cleared: readCleared(fields, index, valueAt),
    replacements: readReplacements(fields, linesOf(KNOWN_TEXT.contentReplacement), valueAt),
    collapses: linesOf(KNOWN_TEXT.collapse),
    contextRefs: linesOf(KNOWN_TEXT.contextRef),
    rewind: findRewind(fields, index, linesOf(KNOWN_TEXT.lastPrompt), valueAt),
    title: readTitle(fields, withoutPlace, valueAt),
    clientTotals: readNewestTotals(linesOf(KNOWN_TEXT.costState), sessionId, valueAt),
  };
}

type ValueAt = (line: number) => JsonObject;

function readBoundaries(
  fields: LineFields,
  { order, types }: RecordIndex,
  valueAt: ValueAt,
): ReadonlyMap<number, Boundary> {
  const intern = (text: string): number => fields.intern(text);
  const boundaries = new Map<number, Boundary>();
  for (const line of order) {
    const isBoundary = types[line] === RECORD_TYPE.system && kindOf(fields, line) === KNOWN_TEXT.compactBoundary;
    if (isBoundary) boundaries.set(line, readBoundary(valueAt(line), intern));
  }
  return boundaries;
}

function readCleared(
  fields: LineFields,
  { others, types }: RecordIndex,
  valueAt: ValueAt,
): ReadonlyMap<number, readonly number[]> {
  const cleared = new Map<number, readonly number[]>();
  for (const line of others) {
    if (types[line] === 0) continue;
    const kind = kindOf(fields, line);
    if (kind !== KNOWN_TEXT.microcompactBoundary && kind !== KNOWN_TEXT.resultsCut) continue;
    const calls = listClearedCalls(valueAt(line));
    cleared.set(
      line,
      calls.map((call) => fields.intern(call)),
    );
  }
  return cleared;
}

/** The calls whose results a record cleared: a microcompaction, or a cut with the words that replace them. */
function listClearedCalls(value: JsonObject): readonly string[] {
  const { callIds, standIn, cause } = asObject(value['attachment']);
  const isCut = typeof standIn === 'string' && standIn !== '' && (cause === undefined || cause === WITHDRAWN);
  return listTexts(isCut ? callIds : asObject(value['microcompactMetadata'])['compactedToolIds']);
}

/** The cause of a cut that a tool server asked for, which the client applies like one after a pause. */
const WITHDRAWN = 'withdrawn_by_tool';

function readReplacements(
  fields: LineFields,
  lines: readonly number[],
  valueAt: ValueAt,
): ReadonlyMap<number, Replacement> {
  const replacements = new Map<number, Replacement>();
  for (const line of lines) {
    for (const [place, { toolUseId, replacement }] of listObjects(valueAt(line)['replacements']).entries()) {
      const id = asString(toolUseId);
      if (id !== null && typeof replacement === 'string') replacements.set(fields.intern(id), { line, place });
    }
  }
  return replacements;
}

/** The last title of the kind that is preferred. */
function readTitle(fields: LineFields, lines: readonly number[], valueAt: ValueAt): Title | null {
  let title: Title | null = null;
  let titleRank = NONE;
  for (const line of lines) {
    const type = fields.textAt(line, CLAUDE_FIELD.type);
    const rank = TITLE_RECORDS.findIndex((record) => record.type === type);
    const field = TITLE_RECORDS[rank]?.field;
    if (field === undefined || rank < titleRank) continue;
    const text = asString(valueAt(line)[field])?.trim();
    if (!text) continue;
    title = { line, text };
    titleRank = rank;
  }
  return title;
}

/** A client that resumes a session goes on with its newest sums, so these include all earlier ones. */
function readNewestTotals(lines: readonly number[], sessionId: string, valueAt: ValueAt): ClientTotals | null {
  let newest: ClientTotals | null = null;
  for (const line of lines) {
    const value = valueAt(line);
    if (asString(value['sessionId']) === sessionId) newest = readClientTotals(value, line + 1) ?? newest;
  }
  return newest;
}
