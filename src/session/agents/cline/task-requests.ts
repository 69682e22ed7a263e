import { asCount, asObject, asString, type JsonObject, listObjects, parseJson } from '#base/json.js';
import { findFirstPast } from '#base/lists.js';
import { buildClineUsage } from './parts.js';
import { listTextChanges } from './text-changes.js';

/** The messages that were left out of a request, and the changes in it. */
export interface SentMessages {
  /** The last message of those from the third on that were left out; null if none were. */
  readonly deletedTo: number | null;
  /** Milliseconds since 1970 up to which changes of texts count. */
  readonly since: number;
  /** The number of those changes. */
  readonly changes: number;
}

/** A request as the screen shows it. */
export interface TaskRequest extends SentMessages {
  /** The place of its answer among the messages. */
  readonly answer: number;
  readonly time: number;
  readonly usage: JsonObject | null;
}

/** The requests of a task, by what the screen shows. */
export function listRequests(document: JsonObject): readonly TaskRequest[] {
  const ui = listObjects(document['ui']);
  const starts = ui.flatMap(({ say }, at) => (say === 'api_req_started' ? [at] : []));
  const changeTimes = listTextChanges(document)
    .map(({ time }) => time)
    .filter((time) => !Number.isNaN(time))
    .toSorted((a, b) => a - b);
  let before = -Infinity;
  return starts.map((at, index) => {
    const start = ui[at] ?? {};
    const own = ui.slice(at + 1, starts[index + 1]).find(({ say }) => !BEFORE_REQUEST.has(asString(say) ?? ''));
    const since = before;
    before = asCount(start['ts']) ?? before;
    return {
      answer: (readInteger(start['conversationHistoryIndex']) ?? index * 2 - 1) + 2,
      time: before,
      usage: readUsage(start),
      deletedTo: readDeletedTo(own ?? start),
      since,
      changes: findFirstPast(changeTimes.length, (place) => (changeTimes[place] ?? 0) > since),
    };
  });
}

/** The kinds of messages on the screen that come before the messages to leave out are chosen. */
const BEFORE_REQUEST: ReadonlySet<string> = new Set(['checkpoint_created', 'hook_status', 'api_req_retried']);

function readInteger(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null;
}

/** Reads the index of the last deleted message. All messages from the third to this one are deleted. */
function readDeletedTo({ conversationHistoryDeletedRange: range }: JsonObject): number | null {
  const end = Array.isArray(range) ? readInteger(range[1]) : null;
  return end !== null && end >= FIRST_KEPT ? end : null;
}

/** The first two messages always stay. */
export const FIRST_KEPT = 2;

function readUsage({ text }: JsonObject): JsonObject | null {
  const counts = asObject(parseJson(asString(text) ?? ''));
  const { tokensIn, tokensOut, cacheReads, cacheWrites, cost } = counts;
  const prompt = (asCount(tokensIn) ?? 0) + (asCount(cacheReads) ?? 0) + (asCount(cacheWrites) ?? 0);
  return buildClineUsage({ prompt, output: tokensOut, cacheRead: cacheReads, cacheWrite: cacheWrites, cost });
}
