import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildPromptDeclaration } from '../blocks.js';
import { type LinkedPart, toSamePart, toUnsentPart } from '../linked-entries.js';
import type { AgentRecord } from '../native-records.js';
import { buildCompaction, findKeptAfter } from './compaction.js';
import { joinPrunedResult, listExtensionEntries, listOwnEntries, type SentEntry } from './messages.js';
import { listAnswerEdits, type OpenAnswer, toContinuedAnswer } from './open-answer.js';
import { toPlainPart } from './plain-parts.js';

/** The entries of a line, and the newest answer after them. */
export interface LineEntries {
  readonly parts: readonly LinkedPart[];
  /** The newest answer before the line, if it is still the newest one; null for none. */
  readonly stillOpen: OpenAnswer | null;
  /** The answer that the line holds. Its id is that of the last entry of the line. */
  readonly ownAnswer?: Omit<OpenAnswer, 'id'>;
}

/** Builds the entries of a line. `open`: the newest answer on the path to it. */
export function buildLineEntries(record: AgentRecord, open: OpenAnswer | null): LineEntries {
  const { value } = record;
  switch (value['type']) {
    case 'message':
      return buildMessageEntries(record, asObject(value['message']), open);
    case 'custom_message':
      return buildSentEntries(listExtensionEntries(value), ([line = {}]) => listExtensionEntries(line), open, value);
    case 'compaction':
      return { parts: [toCompactionPart(value)], stillOpen: open };
    case 'reset_boundary':
      return { parts: [toSamePart(value)], stillOpen: null };
    case 'session_init':
      return { parts: [toPromptPart(value)], stillOpen: open };
    default:
      return { parts: [toPlainPart(value)], stillOpen: open };
  }
}

function buildMessageEntries(record: AgentRecord, message: JsonObject, open: OpenAnswer | null): LineEntries {
  const own = listOwnEntries(message);
  if (own)
    return buildSentEntries(own, ([line = {}]) => listOwnEntries(asObject(line['message'])) ?? [], open, message);
  const { role } = message;
  if (role === 'toolResult') return buildResultEntries(record.value, message, open);
  const parts = [...listAnswerEdits(open), toSamePart(record.value)];
  if (role !== 'assistant') return { parts, stillOpen: null };
  const { stopReason, content } = message;
  const calls = listObjects(content).flatMap(({ type, id }) => (type === 'toolCall' ? [id] : []));
  const isFailed = stopReason === 'error' || stopReason === 'aborted';
  return { parts, stillOpen: null, ownAnswer: { span: toLineSpan(record), isFailed, calls } };
}

/**
 * Builds the entries of a message that no role of Pi has; the line is a `custom` entry if the model gets none.
 * `listFrom` lists the same entries of the line when it is read later.
 */
function buildSentEntries(
  entries: readonly SentEntry[],
  listFrom: (values: readonly JsonObject[]) => readonly SentEntry[],
  open: OpenAnswer | null,
  { customType, role }: JsonObject,
): LineEntries {
  if (entries.length === 0) return { parts: [toUnsentPart(asText(customType ?? role))], stillOpen: open };
  const continued = open?.isFailed && customType === 'interrupted-thinking' ? [toContinuedAnswer(open)] : [];
  const parts = entries.map((sample, at): LinkedPart => {
    const isAdded = sample['sentRole'] === 'developer';
    return { sample, isAdded, isNamed: at === 0, build: (values) => listFrom(values)[at] ?? sample };
  });
  return { parts: [...continued, ...parts], stillOpen: open };
}

/** Builds the entry of a result of a call. A failed answer is not sent, and so its results are not either. */
function buildResultEntries(value: JsonObject, message: JsonObject, open: OpenAnswer | null): LineEntries {
  const { toolCallId } = message;
  if (open?.isFailed && open.calls.includes(toolCallId))
    return { parts: [toUnsentPart('toolResult')], stillOpen: open };
  const part: LinkedPart = {
    sample: value,
    build: ([line = {}]) => ({ ...line, message: joinPrunedResult(asObject(line['message'])) }),
  };
  const stillOpen = open && { ...open, calls: open.calls.filter((id) => id !== toolCallId) };
  return { parts: [part], stillOpen };
}

function toCompactionPart(value: JsonObject): LinkedPart {
  const time = parseTimestamp(value['timestamp']);
  return { sample: value, target: findKeptAfter(value), build: ([line = {}]) => buildCompaction(line, time) };
}

function toPromptPart(value: JsonObject): LinkedPart {
  if (!recordsPrompt(value)) return toUnsentPart('session_init');
  return {
    sample: { type: 'context_transform' },
    build: ([line]) => buildPromptDeclaration(asString(line?.['systemPrompt']) ?? ''),
  };
}

/** Whether a line records the system prompt. */
export function recordsPrompt({ type, systemPrompt }: JsonObject): boolean {
  return type === 'session_init' && typeof systemPrompt === 'string';
}
