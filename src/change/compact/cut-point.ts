import { asString, listObjects } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';
import type { Session } from '#session/session.js';
import { sumEstimates } from './estimate.js';
import type { ProjectedEntry } from './projection.js';

/** The place where a context is cut: entries before `firstKept` are summarised. */
export interface CutPoint {
  readonly firstKept: number;
  /** The index of the entry that begins the turn cut in two; -1 where the cut is between turns. */
  readonly turnStart: number;
}

export interface CutRequest {
  readonly entries: readonly ProjectedEntry[];
  /** Entries before this one are an earlier summary. */
  readonly start: number;
  /** The number of newest tokens to keep, rounded up to whole entries. */
  readonly keepRecentTokens: number;
}

/**
 * Finds the place where Pi cuts: its `findCutPoint`, on what is left after edits. null: no entry may be the first kept one.
 * `toCutPoint` completes it.
 */
export function findCut(
  session: Pick<Session, 'entry'>,
  { entries, start, keepRecentTokens }: CutRequest,
): number | null {
  const first = findFirstKeepable(entries, start);
  if (first === -1) return null;
  const tail = findFullTail({ entries, start, keepRecentTokens });
  if (tail === -1) return first;
  const next = findFirstKeepable(entries, tail);
  const cut = next === -1 ? entries.findLastIndex(canBeFirstKept) : next;
  return isFailedAttempt(session, entries.slice(cut + 1)) ? cut + 1 : cut;
}

/** The cut at a place, with the entries above it that stay with it, and the turn that it cuts in two. */
export function toCutPoint(entries: readonly ProjectedEntry[], cut: number, start: number): CutPoint {
  const firstKept = includeSilentAbove(entries, cut, start);
  const entry = entries[firstKept];
  const isBetweenTurns = !entry || isTurnStart(entry);
  return { firstKept, turnStart: isBetweenTurns ? -1 : findTurnStart(entries, firstKept, start) };
}

/** The first entry from a place on that may be the first kept one; -1 if there is none. */
function findFirstKeepable(entries: readonly ProjectedEntry[], from: number): number {
  return entries.findIndex((entry, at) => at >= from && canBeFirstKept(entry));
}

/** The start of the shortest tail that has the tokens to keep; -1 where all entries have fewer. */
function findFullTail({ entries, start, keepRecentTokens }: CutRequest): number {
  let tokens = 0;
  for (let at = entries.length - 1; at >= start; at -= 1) {
    const here = sumEstimates(entries.slice(at, at + 1));
    if (here === 0) continue;
    tokens += here;
    if (tokens >= keepRecentTokens) return at;
  }
  return -1;
}

/** Moves a cut above the entries without messages that precede it: they stay with what follows them. */
function includeSilentAbove(entries: readonly ProjectedEntry[], cut: number, start: number): number {
  let first = cut;
  for (; first > start; first -= 1) {
    const above = entries[first - 1];
    if (!above || above.head.type === 'compaction' || above.messages.length > 0) break;
  }
  return first;
}

/**
 * Whether nothing but an attempt that failed and was left out follows the cut. Then the input that it failed on is
 * what is too long, and it is summarised as well.
 */
function isFailedAttempt(session: Pick<Session, 'entry'>, suffix: readonly ProjectedEntry[]): boolean {
  const hasFailed = suffix.some((entry) => entry.head.role === 'assistant' && isOmitted(entry));
  if (!hasFailed) return false;
  const isSent = (entry: ProjectedEntry): boolean =>
    entry.head.type === 'compaction' || (hasMessage(entry) && !isOmitted(entry));
  if (suffix.some(isSent)) return false;

  const omitted = new Set(suffix.filter(isOmitted).map(({ head }) => head.id));
  const editsOthers = ({ head }: ProjectedEntry): boolean =>
    head.type === 'context_edit' && !omitted.has(head.target) && session.entry(head).replacement !== null;
  return !suffix.some(editsOthers);
}

/** Whether an entry has a message of its own, even one that an edit omits. */
function hasMessage({ head: { type, hasSummary } }: ProjectedEntry): boolean {
  return type === 'message' || type === 'custom_message' || type === 'compaction' || hasSummary;
}

function isOmitted(entry: ProjectedEntry): boolean {
  return hasMessage(entry) && entry.messages.length === 0;
}

/** The roles of messages that are sent as those of the user. */
const ROLES_OF_USER: ReadonlySet<unknown> = new Set([
  'user',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

/** Whether a turn starts at an entry: at any message that is sent as the user's, but not at a compaction. */
export function isTurnStart({ head, messages }: ProjectedEntry): boolean {
  return head.type !== 'compaction' && messages.some(isOfUser);
}

/** Finds the entry that begins the turn of an entry; -1 where that is above `start`. */
export function findTurnStart(entries: readonly ProjectedEntry[], at: number, start: number): number {
  for (let index = at; index >= start; index -= 1) {
    const entry = entries[index];
    if (entry && isTurnStart(entry)) return index;
  }
  return -1;
}

/** Whether the kept range may start at an entry: never at the result of a tool, which needs its call. */
function canBeFirstKept({ head, messages }: ProjectedEntry): boolean {
  return head.type !== 'compaction' && messages.some((message) => isOfUser(message) || message.role === 'assistant');
}

function isOfUser({ role }: StoredMessage): boolean {
  return ROLES_OF_USER.has(role);
}

/**
 * The nearest place at or above a cut where no tool call is parted from its result. Pi cuts between them where a
 * user message is there.
 */
export function moveAbovePairs(entries: readonly ProjectedEntry[], cut: number, start: number): number {
  const kept = entries.slice(cut);
  const calls = new Set(entries.slice(start, cut).flatMap(listCallIds));
  for (const id of kept.flatMap(listCallIds)) calls.delete(id);

  // The calls above the place whose results are at or below it.
  const open = new Set(kept.flatMap(listResultIds).filter((id) => calls.has(id)));
  if (open.size === 0) return cut;
  for (let at = cut - 1; at >= start; at -= 1) {
    const entry = entries[at];
    if (!entry) continue;
    for (const id of listResultIds(entry)) {
      if (calls.has(id)) open.add(id);
    }
    for (const id of listCallIds(entry)) open.delete(id);
    if (open.size === 0 && canBeFirstKept(entry)) return at;
  }
  return cut;
}

function listResultIds({ messages }: ProjectedEntry): readonly string[] {
  return messages.flatMap(({ role, toolCallId }) => (role === 'toolResult' ? (asString(toolCallId) ?? []) : []));
}

function listCallIds({ messages }: ProjectedEntry): readonly string[] {
  const answers = messages.filter(({ role }) => role === 'assistant');
  const calls = answers.flatMap(({ content }) => listObjects(content)).filter(({ type }) => type === 'toolCall');
  return calls.flatMap(({ id }) => asString(id) ?? []);
}
