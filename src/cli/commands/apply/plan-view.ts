import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { Plan } from '#change/plan/plan.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { readTransformerName } from '#context/replay/repeated-transform.js';
import { previewMessage } from '#context/words/message-text.js';
import { type Entry, toEntry } from '#session/entry.js';
import { type Block, cell, commandLine, type Doc, fileSpan, line, listingRow, type Span, span } from '#ui/doc/doc.js';
import { type EnvelopeComparison, renderDiffSummary } from '../diff/summary.js';
import type { PiSession } from '../session-to-plan.js';
import { describeShrinking, type PlanEffects, renderCacheEffect, renderLosses } from './effects.js';

/** The view of the entries that are or would be appended. */
export interface PlanDisplay {
  readonly entries: readonly JsonObject[];
  /** The action and its file. */
  readonly title: readonly Span[];
  /** The words after the title that the user must see first; null for none. */
  readonly caution: string | null;
  readonly compared: EnvelopeComparison;
  /** null once it is written. */
  readonly effects: PlanEffects | null;
  /** The command's own view of the plan, which replaces the list of removed messages. */
  readonly about?: Doc | undefined;
  /** Sentences that the user should read. */
  readonly notes: readonly string[];
  readonly next: NextCommands;
}

/** Command lines that may follow a write; null for one that makes no sense. */
export interface NextCommands {
  /** Continues the session in Pi. */
  readonly resume: string | null;
  /** Undoes the plan. */
  readonly undo: string | null;
  /** Does it again, where the plan is what undid it. */
  readonly redo: string | null;
}

/** One screen: the entries to write, the resulting context, and the removed messages. */
export function renderPlan({ entries, title, caution, compared, effects, about, notes, next }: PlanDisplay): Doc {
  const { before, after } = compared;
  return [
    line(...title, ...renderCaution(caution)),
    line(describeShrinking(before, after)),
    ...renderEntries(entries, about ? FEWER_ENTRIES : MOST_ENTRIES),
    ...renderDiffSummary(compared),
    ...(effects ? renderCacheEffect(effects.cache) : []),
    ...(about ?? renderLeaving(before, after)),
    ...(effects?.loss ? renderLosses(effects.loss) : []),
    ...notes.map(renderNote),
    ...renderNext(next),
  ];
}

/** The end of the first line of a plan: what the user must know before all else. */
export function renderCaution(caution: string | null): readonly Span[] {
  return caution === null ? [] : [span(`; ${caution}`, 'warning')];
}

/** The document of a plan that the user has already seen and confirmed: only what is new. */
export function renderWrittenPlan(title: readonly Span[], notes: readonly string[], next: NextCommands): Doc {
  return [line(...title), ...notes.map(renderNote), ...renderNext(next)];
}

/** Never wrapped, so that they can be copied. */
function renderNext({ resume, undo, redo }: NextCommands): Doc {
  return Object.entries({ resume, undo, redo }).flatMap(([name, command]) =>
    command === null ? [] : [commandLine(`${name}: `, command)],
  );
}

/** A sentence that the user should read. */
export function renderNote(note: string): Block {
  return line(span('note', 'warning'), `: ${note}`);
}

/** The first line of a plan: what is done, and to which file. */
export function describePlan(plan: Plan, verb: string, { file, what = '' }: Destination): readonly Span[] {
  const entries = pluralize(plan.entries.length, 'entry', 'entries');
  const action =
    plan.entries.length === 0
      ? 'nothing to append'
      : `${verb} ${entries} (${formatCount(encodeEntries(plan).length)} bytes)`;
  return [span(`${action} to ${what}`, 'strong'), fileSpan(file, file, 'strong')];
}

/** The place of new entries: a session, or a copy of it in words such as `an import of `. */
interface Destination {
  readonly file: string;
  readonly what?: string;
}

/** The file of a session, with words for the copy of one that is never written to. */
export function describeDestination({ file, agent, migration }: PiSession): Destination {
  if (agent) return { file, what: 'an import of ' };
  return migration ? { file, what: 'a migrated copy of ' } : { file };
}

const MOST_ENTRIES = 12;
/** The most entries where a list of their changes follows. */
const FEWER_ENTRIES = 6;

/** The entries, or the first of them and how many there are more. */
function renderEntries(entries: readonly JsonObject[], most: number): readonly Block[] {
  if (entries.length <= most) return entries.map(renderEntry);
  const shown = entries.slice(0, most - 1);
  const more = pluralize(entries.length - shown.length, 'more entry', 'more entries');
  return [...shown.map(renderEntry), line(span(`   … ${more}: --json lists all`, 'faint'))];
}

function renderEntry(json: JsonObject): Block {
  const entry = toEntry(json);
  const { id, type } = json;
  return listingRow([
    cell('', 1),
    cell(asString(id) ?? '', 8, 'id'),
    cell(asString(type) ?? '', 17),
    cell(describeEntry(entry)),
  ]);
}

function describeEntry(entry: Entry): string {
  switch (entry.type) {
    case 'context_transform': {
      const ops = listObjects(entry.patch).map(({ op }) => String(op));
      const title = isObject(entry.display) ? asString(entry.display.title) : null;
      return `${readTransformerName(entry)}: ${title ?? ops.join(', ')}`;
    }
    case 'context_edit':
      return `${String(entry.targetId)} ${entry.replacement === null ? 'omitted' : 'text replaced'}`;
    case 'compaction':
      return `keeps from ${String(entry.firstKeptEntryId)}`;
    case 'ephemeral':
      return `${pluralize(Array.isArray(entry.messages) ? entry.messages.length : 0, 'message')} for one request`;
    case 'custom':
      return asString(entry.customType) ?? '';
    default:
      return '';
  }
}

/** The messages that are listed one by one. */
const MOST_ROWS = 8;

/** A message, and where it comes from. */
interface PlacedMessage {
  readonly message: LlmMessage;
  readonly from: Provenance;
}

/** The messages whose source is no longer in the context. */
function renderLeaving(before: ContextEnvelope, after: ContextEnvelope): readonly Block[] {
  const leaving = listLeaving(before, after);
  if (leaving.length === 0) return [];
  const more = leaving.length - MOST_ROWS;
  return [
    line(`${pluralize(leaving.length, 'message')} ${leaving.length === 1 ? 'leaves' : 'leave'} the context:`),
    ...leaving.slice(0, MOST_ROWS).map(renderMessageRow),
    ...(more > 0 ? [line(span(`  … and ${more} more`, 'faint'))] : []),
  ];
}

function listLeaving(before: ContextEnvelope, after: ContextEnvelope): readonly PlacedMessage[] {
  const kept = new Set(after.meta.provenance.map(toKey));
  return before.messages.cached.flatMap((message, at) => {
    const from = before.meta.provenance[at];
    return from && !kept.has(toKey(from)) ? [{ message, from }] : [];
  });
}

function toKey({ entryId, line: at, origin }: Provenance): string {
  return `${at} ${entryId} ${origin === 'transform' || origin === 'compaction'}`;
}

function renderMessageRow({ message, from }: PlacedMessage): Block {
  const cells = [cell('', 1), cell(from.entryId ?? '', 8, 'id'), cell(message.role, 10), cell(previewMessage(message))];
  return listingRow(cells);
}
