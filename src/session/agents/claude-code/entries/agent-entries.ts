import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { formatHexId } from '../../../heads/id-index.js';
import { toTextBlock } from '../../blocks.js';
import type { AgentEntry } from '../../define.js';
import { buildAttachmentMessage, buildTaggedMessage, toQueuedContent } from '../content/attachment-message.js';
import {
  buildAnsweredContent,
  buildClaudeAnswer,
  buildClaudeResult,
  contentOf,
  detectProvider,
  joinContent,
  joinTextBlocks,
  resultBlockAt,
  toCutContent,
  toUserContent,
} from '../content/content.js';
import { buildOp, buildShapeOps, buildSnapshotOps } from '../content/prompt-ops.js';
import { CLAUDE_FIELD, readTimestamp } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import { buildSentMessages } from '../sent/sent-messages.js';
import { type ClaudeEntries, type ClaudeEntry, type ClaudeEntryForm, timedLineOf } from './entries.js';

/** The entries in Pi's format, in the order of their lines. */
export function buildEntries(entries: ClaudeEntries): readonly AgentEntry[] {
  const ordered = entries.all.toSorted((a, b) => a.location - b.location || a.number - b.number);
  return ordered.map((entry) => toAgentEntry(entries, entry));
}

function toAgentEntry(entries: ClaudeEntries, entry: ClaudeEntry): AgentEntry {
  const { records } = entries;
  const { form, location, lines, record } = entry;
  const type = TYPES[form];
  const id = formatHexId(entry.id);
  const parent = entry.parent ? entry.parent.id : entries.findMissingParent(entry);
  const parentId = parent === null ? null : formatHexId(parent);
  const timed = timedLineOf(entry);
  return {
    type,
    role: ROLES[form] ?? null,
    id,
    parentId,
    target: form === 'branch' ? undefined : (findTargetId(entry) ?? undefined),
    time: records.time(timed),
    hasSummary: form === 'branch',
    isAdded: ADDED.has(form),
    location: records.fields.span(location),
    lines: lines.map((line) => records.fields.span(line)),
    hasUsage: form === 'answer',
    // A fork has a title of its own.
    copiedFrom: form === 'title' ? null : findOriginId(records, record),
    build: (values) => {
      const timestamp = readTimestamp(records.fields, timed);
      return { type, id, parentId, timestamp, ...buildFields(records, entry, values) };
    },
  };
}

/** The session from which a record was copied, with a new uuid; null for one of this session. */
function findOriginId({ fields }: ClaudeRecords, record: number): string | null {
  const id = fields.textAt(record, CLAUDE_FIELD.origin);
  return id === 0 ? null : fields.text(id);
}

/** The id of the entry that one edits, or of the first one that a compaction keeps: its own if it keeps none. */
function findTargetId(entry: ClaudeEntry): string | null {
  const target = entry.target ?? (entry.form === 'compaction' ? entry : null);
  return target && formatHexId(target.id);
}

/** The type of the entries of each form. */
const TYPES: Readonly<Record<ClaudeEntryForm, string>> = {
  title: 'session_info',
  model: 'model_change',
  answer: 'message',
  local: 'message',
  unanswered: 'context_edit',
  text: 'message',
  queued: 'message',
  meta: 'custom_message',
  command: 'custom_message',
  result: 'message',
  orphan: 'custom',
  replaced: 'context_edit',
  cleared: 'context_edit',
  attachment: 'custom_message',
  tagged: 'custom_message',
  snapshot: 'context_transform',
  shape: 'context_transform',
  compaction: 'compaction',
  reset: 'context_transform',
  branch: 'branch_summary',
  prompt: 'message',
  note: 'custom_message',
  joined: 'custom',
  restated: 'context_transform',
};

/** The role of the messages of each form that has some. */
const ROLES: Readonly<Partial<Record<ClaudeEntryForm, string>>> = {
  answer: 'assistant',
  local: 'assistant',
  text: 'user',
  queued: 'user',
  prompt: 'user',
  result: 'toolResult',
};

/** Entries that the client makes by itself: input that it adds, and answers that no provider gave. */
const ADDED: ReadonlySet<ClaudeEntryForm> = new Set(['local', 'meta', 'command', 'attachment', 'tagged', 'note']);

/** The fields of an entry other than its type, id, parent and time, from the values of its lines. */
function buildFields(records: ClaudeRecords, entry: ClaudeEntry, values: readonly JsonObject[]): JsonObject {
  const { record, place, call } = entry;
  const target = findTargetId(entry);
  const value = values[0] ?? {};
  switch (entry.form) {
    case 'title':
      return { name: records.effects.title?.text ?? '' };
    case 'answer':
    case 'local':
      return { message: buildClaudeAnswer(values) };
    case 'model':
      return {
        provider: detectProvider(asObject(value['message'])),
        modelId: records.fields.text(entry.model),
      };
    case 'text':
      return { message: { role: 'user', content: toUserContent(contentOf(value)), timestamp: records.time(record) } };
    case 'queued':
      return {
        message: { role: 'user', content: toQueuedContent(values), timestamp: records.time(timedLineOf(entry)) },
      };
    case 'command':
      return { customType: 'claude-code:local-command', content: asString(value['content']) ?? '', display: true };
    case 'orphan':
      return { customType: 'claude-code:orphan-result', data: resultBlockAt(value, place) };
    case 'unanswered':
      return { targetId: target, replacement: buildAnsweredContent(values, (id) => isSent(records, entry, id)) };
    case 'meta':
      return { customType: 'claude-code:meta', content: toUserContent(contentOf(value)), display: false };
    case 'result':
      return { message: buildResult(records, entry, value) };
    case 'replaced':
      return buildEdit(target, [toTextBlock(findReplacement(records, call, value))]);
    case 'cleared':
      return buildEdit(target, buildClearedContent(value, values[1], entry.target?.place ?? 0));
    case 'snapshot':
      return buildTransform('prompt-snapshot', 'prompt and tools', buildSnapshotOps(value));
    case 'shape':
      return buildTransform('api-request', 'prompt and tools', buildShapeOps(value));
    case 'attachment':
      return buildAttachmentMessage(value);
    case 'tagged':
      return buildTaggedMessage(value);
    case 'compaction':
      return buildCompaction(records, record, target, values);
    case 'branch':
      return { fromId: target, ...buildSummary(values) };
    case 'reset':
      return buildTransform('boundary', 'no message is kept', [buildOp('messages_cached_replace', { messages: [] })]);
    default:
      return buildSentFields(records, entry, values);
  }
}

/** Whether a call of the answer that an entry edits is sent again: it has a result, and its id was not used before. */
function isSent(records: ClaudeRecords, { target }: ClaudeEntry, call: string): boolean {
  const isDoubled = target?.doubledCalls.has(records.fields.intern(call)) === true;
  return !isDoubled && records.isAnswered(call);
}

/** The fields of an entry that shows what was sent. */
function buildSentFields(records: ClaudeRecords, entry: ClaudeEntry, values: readonly JsonObject[]): JsonObject {
  const [value = {}] = values;
  const timestamp = records.time(entry.record);
  switch (entry.form) {
    case 'prompt':
      return { message: { role: 'user', content: joinContent(values), timestamp } };
    case 'note':
      return { customType: chooseNoteType(value), content: joinContent(values), display: false };
    case 'restated':
      return buildTransform('api-request', 'messages as they were sent', [
        buildOp('messages_cached_replace', { messages: buildSentMessages(records, entry, values) }),
      ]);
    default:
      return { customType: 'claude-code:joined', data: asObject(value['attachment'] ?? value['message']) };
  }
}

function buildResult(records: ClaudeRecords, { place, call, record }: ClaudeEntry, value: JsonObject): JsonObject {
  return { ...buildClaudeResult(value, place, records.blocks.toolNameOf(call)), timestamp: records.time(record) };
}

function chooseNoteType({ message }: JsonObject): string {
  return asObject(message)['role'] === 'system' ? 'claude-code:system' : 'claude-code:reminder';
}

/** The text that the model was shown instead of the result of a call. */
function findReplacement({ effects }: ClaudeRecords, call: number, value: JsonObject): string {
  const place = effects.replacements.get(call)?.place ?? 0;
  return asString(listObjects(value['replacements'])[place]?.['replacement']) ?? '';
}

/** The words that replace a result are not recorded for a microcompaction. */
function buildClearedContent(
  { attachment }: JsonObject,
  result: JsonObject | undefined,
  place: number,
): readonly JsonObject[] {
  const standIn = asString(asObject(attachment)['standIn']);
  return standIn === null || !result ? [toTextBlock(CLEARED)] : toCutContent(result, place, standIn);
}

/** The text that the client sends instead of a result that it cleared. */
const CLEARED = '[Old tool result content cleared]';

function buildEdit(targetId: string | null, content: readonly JsonObject[]): JsonObject {
  return { targetId, replacement: { content } };
}

function buildCompaction(
  records: ClaudeRecords,
  boundary: number,
  firstKeptEntryId: string | null,
  values: readonly JsonObject[],
): JsonObject {
  const tokensBefore = records.effects.boundaries.get(boundary)?.tokensBefore ?? null;
  return { ...buildSummary(values), firstKeptEntryId, ...(tokensBefore === null ? {} : { tokensBefore }) };
}

/** The summary of a boundary, which the client sends as it is. */
function buildSummary([boundary, summary]: readonly JsonObject[]): JsonObject {
  return {
    summary: joinTextBlocks(contentOf(summary ?? {})),
    sentVerbatim: true,
    details: { ...asObject(boundary?.['compactMetadata']) },
  };
}

function buildTransform(transformerName: string, title: string, patch: readonly JsonObject[]): JsonObject {
  return { schemaVersion: 1, transformerName, patch, display: { title } };
}
