import type { BreakEven } from '#analysis/cache/break-even.js';
import { describeLifetime } from '#analysis/cache/lifetime.js';
import { countClasses } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import { formatDuration } from '#base/duration.js';
import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import type { Plan } from '#change/plan/plan.js';
import { listWriteNotes } from '#change/write/append-to-session.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { renderForErrors } from '#cli/output/print-failure.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { readTransformerName } from '#context/replay/repeated-transform.js';
import { previewMessage } from '#context/words/message-text.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { type Entry, toEntry } from '#session/entry.js';
import {
  type Block,
  cell,
  commandLine,
  type Doc,
  fileSpan,
  left,
  line,
  listingRow,
  right,
  type Span,
  span,
  table,
} from '#ui/doc/doc.js';
import { type EnvelopeComparison, renderDiffLine, renderDiffSummary } from '../diff/summary.js';
import { LISTED_LOSSES, renderLossRow } from '../loss/row.js';
import type { SessionToPlan } from '../session-to-plan.js';

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
  /** The command line that undoes it; what undoes a restore does something again. */
  readonly undo?: string | null;
  readonly redo?: string | null;
  /** The command line with which Pi continues the session. */
  readonly resume?: string | null;
}

/** One screen: the entries to write, the resulting context, and the removed messages. */
export function renderPlan({
  entries,
  title,
  caution,
  compared,
  effects,
  about,
  notes,
  undo = null,
  redo = null,
  resume = null,
}: PlanDisplay): Doc {
  return [
    line(...title, ...renderCaution(caution)),
    line(describeShrinking(compared.before, compared.after)),
    ...renderEntries(entries, about ? FEWER_ENTRIES : MOST_ENTRIES),
    ...renderDiffSummary(compared),
    ...(effects ? renderCacheEffect(effects.cache) : []),
    ...(about ?? renderLeaving(compared.before, compared.after)),
    ...(effects?.loss ? renderLosses(effects.loss) : []),
    ...notes.map(renderNote),
    ...renderNext({ resume, undo, redo }),
  ];
}

/** The next request, in tokens of the context: the size of the file says nothing about it. */
export function describeShrinking(before: ContextEnvelope, after: ContextEnvelope): string {
  const from = before.meta.size.tokens;
  const to = after.meta.size.tokens;
  const change = from - to;
  const words =
    change === 0
      ? 'stays as large'
      : `${change > 0 ? 'shrinks' : 'grows'} by ~${formatCount(Math.abs(change))} tokens (${formatPercent(Math.abs(change), from)})`;
  return `the next request ${words}: ~${formatCount(from)} → ~${formatCount(to)}`;
}

/** The end of the first line of a plan: what the user must know before all else. */
export function renderCaution(caution: string | null | undefined): readonly Span[] {
  return caution ? [span(`; ${caution}`, 'warning')] : [];
}

/** The document of a plan that the user has already seen and confirmed: only what is new. */
export function renderWrittenPlan(title: readonly Span[], notes: readonly string[], next: NextCommands): Doc {
  return [line(...title), ...notes.map(renderNote), ...renderNext(next)];
}

/** Command lines that may follow a write; null for one that makes no sense. */
interface NextCommands {
  readonly resume: string | null;
  readonly undo: string | null;
  readonly redo: string | null;
}

/** Never wrapped, so that they can be copied. */
function renderNext(commands: NextCommands): Doc {
  const { resume, undo, redo } = commands;
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

/** Where entries go: a session, or a copy of it in words such as `an import of `. */
interface Destination {
  readonly file: string;
  readonly what?: string;
}

/** The file of a session, with words for the copy of one that is never written to. */
export function describeDestination({ file, agent, migration }: SessionToPlan): Destination {
  if (agent) return { file, what: 'an import of ' };
  return migration ? { file, what: 'a migrated copy of ' } : { file };
}

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

const MOST_ROWS = 8;
const MOST_ENTRIES = 12;
/** Where a list of what they change follows. */
const FEWER_ENTRIES = 6;

/** The messages whose source is no longer in the context. */
function renderLeaving(before: ContextEnvelope, after: ContextEnvelope): readonly Block[] {
  const kept = new Set(after.meta.provenance.map(toKey));
  const leaving = before.messages.cached.flatMap((message, at) => {
    const from = before.meta.provenance[at];
    return from && !kept.has(toKey(from)) ? [{ message, from }] : [];
  });
  if (leaving.length === 0) return [];
  return [
    line(`${pluralize(leaving.length, 'message')} ${leaving.length === 1 ? 'leaves' : 'leave'} the context:`),
    ...leaving.slice(0, MOST_ROWS).map(renderMessageRow),
    ...(leaving.length > MOST_ROWS ? [line(span(`  … and ${leaving.length - MOST_ROWS} more`, 'faint'))] : []),
  ];
}

function toKey({ entryId, line: at, origin }: Provenance): string {
  return `${at} ${entryId} ${origin === 'transform' || origin === 'compaction'}`;
}

function renderMessageRow({ message, from }: { readonly message: LlmMessage; readonly from: Provenance }): Block {
  const cells = [cell('', 1), cell(from.entryId ?? '', 8, 'id'), cell(message.role, 10), cell(previewMessage(message))];
  return listingRow(cells);
}

/** The effects of a plan: its cost in the prompt cache and its losses. */
interface PlanEffects {
  readonly cache: BreakEven;
  /** null for a plan that compacts nothing. */
  readonly loss: LossDocument | null;
}

/** Two lines: the tokens that are billed uncached once, and the number of requests until that pays off. */
export function renderCacheEffect(cache: BreakEven): readonly Block[] {
  const { rebilledTokens: rebilled, savedTokensPerRequest: saved } = cache;
  if (rebilled === 0 && saved === 0) return [];
  const each = saved < 0 ? `${formatCount(-saved)} more` : `${formatCount(saved)} fewer`;
  return [
    line(span('cache     ', 'faint'), `~${pluralize(rebilled, 'token')} uncached once, then ~${each} per request`),
    // A change that makes requests longer, such as a revert, is made for another reason.
    ...(saved < 0 ? [] : [line(span('pays off  ', 'faint'), describePayback(cache))]),
    ...renderLifetime(cache),
  ];
}

function describePayback(cache: BreakEven): string {
  const { requests, isCold, basis, savedTokensPerRequest } = cache;
  if (savedTokensPerRequest <= 0) return 'never: requests do not get shorter';
  if (isCold) return `at once: ${describeColdCache(cache)}`;
  if (requests === 0) return 'at once: nothing after the change stays in the context';
  const prices = basis === 'recorded' ? 'at the prices recorded' : 'assumed: cached tokens cost 0.1, new ones 1.25';
  return `${requests === null ? 'never' : `after ${pluralize(requests, 'request')}`} (${prices})`;
}

function describeColdCache({ coldBecause, idleSeconds, retentionMinutes }: BreakEven): string {
  if (coldBecause === 'other model') return 'the model that is asked next has nothing in its cache';
  if (coldBecause === 'no request' || idleSeconds === null) return 'nothing is in the cache';
  const ago = Math.max(0, idleSeconds - (retentionMinutes ?? 0) * 60);
  return `the cache expired ${formatDuration(ago)} ago`;
}

/** The lifetime of the cache, for which a change that is not urgent can wait. */
function renderLifetime({
  retentionMinutes: minutes,
  retentionBasis: basis,
  idleSeconds,
  coldBecause,
}: BreakEven): Doc {
  if (minutes === null || coldBecause === 'other model') return [];
  const used = idleSeconds === null ? '' : `; used ${formatDuration(idleSeconds)} ago`;
  return [line(span('lifetime  ', 'faint'), `${describeLifetime(minutes, basis)}${used}`)];
}

const MOST_EFFECTS = 5;

/** The share of the removed entries and facts that the summary mentions, and the first ones that it does not. */
export function renderLosses({ boundary, left: entries, facts }: LossDocument): Doc {
  const lines = new Set(entries.flatMap(({ by, line: place }) => (by === boundary?.entryId ? [place] : [])));
  const leaving = facts.filter(({ line: place }) => lines.has(place));
  const counts = countClasses(leaving);
  if (counts.length === 0) return [];
  const missing = leaving.filter(({ mention, class: of }) => mention === 'missing' && LISTED_LOSSES.has(of));
  const rows = counts.map((of): readonly Span[] => [
    span(of.class),
    span(formatCount(of.left)),
    span(formatCount(of.left - of.missing)),
    span(formatCount(of.missing), of.missing > 0 ? 'warning' : 'plain'),
  ]);
  const columns = [left('facts'), right('removed'), right('in the summary'), right('missing')];
  const more = missing.length - MOST_EFFECTS;
  return [
    table(columns, rows),
    ...(missing.length === 0 ? [] : [line('missing from the summary:')]),
    ...missing.slice(0, MOST_EFFECTS).map((fact) => renderLossRow(fact, cell(fact.class, 12, 'faint'), fact.text)),
    ...(more > 0 ? [line(span(`  … and ${formatCount(more)} more`, 'faint'))] : []),
  ];
}

interface Asking {
  readonly session: OpenSession;
  readonly plan: Plan;
  /** The effects of the plan, with the sentences that the user should read first, and how it is undone. */
  readonly planned: PlanDisplay;
}

/** Throws a CtxError (refused) for an append without the consent of `--yes` and without a terminal to ask on. */
export function assertConsent(
  io: Pick<Io, 'canAsk'>,
  file: string,
  { yes }: { readonly yes?: boolean | undefined },
): void {
  if (yes || io.canAsk()) return;
  throw new CtxError('refused', 'there is no terminal to ask on; nothing was written', {
    where: file,
    hint: 'add --dry-run to see the effect, or --yes to write',
  });
}

/**
 * Shows the effects of a plan and asks the user whether to append it. Returns the notes printed before the question.
 * Throws a CtxError (refused) for any answer but yes.
 */
export async function confirmAppend(io: Io, { session, plan, planned }: Asking): Promise<readonly string[]> {
  const { file } = plan.session;
  const age = io.now() - io.files.modified(file);
  const watchers = await io.files.processesWith(file);
  const notes = [...planned.notes, ...listWriteNotes({ recovered: 'none', watchers, age })];
  // A long plan has moved its figures out of the screen.
  const figures = renderDiffLine(planned.compared);
  const doc = [...renderPlan({ ...planned, notes }), figures, line(describeQuestion(session, plan, age))];
  const answer = await io.ask(`${(await renderForErrors(io, doc)).trimEnd()} `);
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return notes;
  throw new CtxError('refused', 'not confirmed; nothing was written', {
    where: file,
    hint: 'answer y, or pass --yes',
  });
}

function describeQuestion(session: OpenSession, { entries }: Plan, age: number): string {
  const { cwd } = session.header;
  const about = [`${formatDuration(age / 1000)} old`, ...(cwd === null ? [] : [cwd])];
  return `Append ${pluralize(entries.length, 'entry', 'entries')} to "${findSessionTitle(session)}" (${about.join(', ')})? [y/N]`;
}

/** The context with the line of the other agent's file at which it is; null for a new entry. */
export function toRecordedLines(envelope: ContextEnvelope, { recordedLine }: SessionToPlan): ContextEnvelope {
  const { at } = envelope;
  return { ...envelope, at: { ...at, line: at.line === null ? null : (recordedLine?.(at.line) ?? null) } };
}
