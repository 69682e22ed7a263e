import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { toTextBlock } from '../blocks.js';
import { buildAgentEntries } from '../entry-heads.js';
import {
  buildAttachmentMessage,
  buildOp,
  buildShapeOps,
  buildSnapshotOps,
  buildTaggedMessage,
  toQueuedContent,
} from './attachments.js';
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
} from './content.js';
import { RECORD_TYPE } from './fields.js';
import { NONE } from './links.js';
import type { Nodes, Piece } from './nodes.js';
import type { ClaudeRecords } from './records.js';

/** The text that the client sends instead of a result that it cleared. */
const CLEARED = '[Old tool result content cleared]';

/** The fields of the entry of a node, from the values of its lines. */
function fieldsOf(nodes: Nodes, node: number, target: string | null, values: readonly JsonObject[]): JsonObject {
  const { records } = nodes;
  const record = nodes.record(node);
  const value = values[0] ?? {};
  switch (nodes.making(node)) {
    case 'title':
      return { name: records.title?.text ?? '' };
    case 'answer':
    case 'local':
      return { message: buildClaudeAnswer(values) };
    case 'model':
      return {
        provider: detectProvider(asObject(value['message'])),
        modelId: records.table.text(nodes.model(node)),
      };
    case 'text':
      return { message: { role: 'user', content: toUserContent(contentOf(value)), timestamp: records.time(record) } };
    case 'queued':
      return {
        message: { role: 'user', content: toQueuedContent(values), timestamp: records.time(nodes.timed(node)) },
      };
    case 'command':
      return { customType: 'claude-code:local-command', content: asString(value['content']) ?? '', display: true };
    case 'orphan':
      return { customType: 'claude-code:orphan-result', data: resultBlockAt(value, nodes.place(node)) };
    case 'unanswered':
      return { targetId: target, replacement: buildAnsweredContent(values, (call) => isSent(nodes, node, call)) };
    case 'meta':
      return { customType: 'claude-code:meta', content: toUserContent(contentOf(value)), display: false };
    case 'result':
      return { message: resultOf(nodes, node, value) };
    case 'replaced':
      return edit(target, [toTextBlock(replacementIn(records, nodes.call(node), value))]);
    case 'cleared':
      return edit(target, clearedIn(value, values[1], nodes.place(nodes.target(node))));
    case 'snapshot':
      return transform('prompt-snapshot', 'prompt and tools', buildSnapshotOps(value));
    case 'shape':
      return transform('api-request', 'prompt and tools', buildShapeOps(value));
    case 'attachment':
      return buildAttachmentMessage(value);
    case 'told':
      return buildTaggedMessage(value);
    case 'compaction':
      return compactionOf(records, record, target, values);
    case 'reset':
      return transform('boundary', 'no message is kept', [buildOp('messages_cached_replace', { messages: [] })]);
    default:
      return sentFields(nodes, node, values);
  }
}

/** Whether a call of the answer that an entry edits is sent again: it has a result, and its id was not used before. */
function isSent(nodes: Nodes, node: number, call: string): boolean {
  const { records } = nodes;
  const isDoubled = nodes.doubled.get(nodes.target(node))?.has(records.table.intern(call)) === true;
  return !isDoubled && records.isAnswered(call);
}

/** The fields of an entry that shows what was sent. */
function sentFields(nodes: Nodes, node: number, values: readonly JsonObject[]): JsonObject {
  const [value = {}] = values;
  const timestamp = nodes.records.time(nodes.record(node));
  switch (nodes.making(node)) {
    case 'prompt':
      return { message: { role: 'user', content: joinContent(values), timestamp } };
    case 'note':
      return { customType: noteType(value), content: joinContent(values), display: false };
    case 'restated':
      return transform('api-request', 'messages as they were sent', [
        buildOp('messages_cached_replace', { messages: messagesAt(nodes, node, values) }),
      ]);
    default:
      return { customType: 'claude-code:joined', data: asObject(value['attachment'] ?? value['message']) };
  }
}

function resultOf(nodes: Nodes, node: number, value: JsonObject): JsonObject {
  const { records } = nodes;
  const message = buildClaudeResult(value, nodes.place(node), records.blocks.toolName(nodes.call(node)));
  return { ...message, timestamp: records.time(nodes.record(node)) };
}

function noteType({ message }: JsonObject): string {
  return asObject(message)['role'] === 'system' ? 'claude-code:system' : 'claude-code:reminder';
}

/** The messages of a request. Those that entries show are equal to theirs. */
function messagesAt(nodes: Nodes, node: number, values: readonly JsonObject[]): readonly JsonObject[] {
  let start = 0;
  return (nodes.pieces.get(node) ?? []).flatMap((piece) => {
    const own = values.slice(start, start + piece.lines.length);
    start += piece.lines.length;
    return piece.role === RECORD_TYPE.assistant
      ? [answerIn(nodes, node, piece, own)]
      : userMessages(nodes, node, piece, own);
  });
}

/** An answer that is recorded in full was changed before it was sent again: it names no model. */
function answerIn(
  nodes: Nodes,
  node: number,
  { lines: [line = NONE] }: Piece,
  values: readonly JsonObject[],
): JsonObject {
  const { records } = nodes;
  const message = buildClaudeAnswer(values);
  if (records.types[line] === RECORD_TYPE.assistant) return message;
  const record = nodes.record(node);
  const model = records.table.text(records.model(record));
  return { ...message, model, timestamp: records.time(record) };
}

function userMessages(
  nodes: Nodes,
  node: number,
  { lines, nodes: shown }: Piece,
  values: readonly JsonObject[],
): readonly JsonObject[] {
  const { records } = nodes;
  const lineAt = (at: number): number => lines[at] ?? NONE;
  const messages: JsonObject[] = values.flatMap((value, at) => {
    const timestamp = timeOfLine(nodes, node, lineAt(at));
    return records.blocks
      .results(lineAt(at))
      .map((call, place) => ({ ...buildClaudeResult(value, place, records.blocks.toolName(call)), timestamp }));
  });
  const rest = values.filter((_, at) => records.blocks.hasOther(lineAt(at)));
  const line = lines.find((each) => records.blocks.hasOther(each)) ?? NONE;
  const content = rest.length === 0 ? null : joinContent(rest);
  const isMessage = isPrompt(nodes, shown.at(-1), line);
  if (content !== null)
    messages.push({
      role: 'user',
      content: isMessage ? content : inBlocks(content),
      timestamp: timeOfLine(nodes, node, line),
    });
  return messages.map((message, at) => {
    const own = shown[at];
    return own === undefined ? message : { ...message, timestamp: records.time(nodes.record(own)) };
  });
}

/** A line that records a message in full has no time: it was sent with the answer. */
function timeOfLine(nodes: Nodes, node: number, line: number): number {
  const { records } = nodes;
  return records.time(records.types[line] === 0 ? nodes.record(node) : line);
}

/** Whether a text is shown as the prompt of the user: by its entry, or by its line if it has none. */
function isPrompt(nodes: Nodes, node: number | undefined, line: number): boolean {
  if (node === undefined) return nodes.records.types[line] === RECORD_TYPE.user && !nodes.records.isMeta(line);
  return PROMPTS.has(nodes.making(node));
}

const PROMPTS: ReadonlySet<string> = new Set(['text', 'prompt']);

function inBlocks(content: unknown): unknown {
  return typeof content === 'string' ? [toTextBlock(content)] : content;
}

/** The text that the model was shown instead of the result of a call. */
function replacementIn({ replacements }: ClaudeRecords, call: number, value: JsonObject): string {
  const place = replacements.get(call)?.place ?? 0;
  return asString(listObjects(value['replacements'])[place]?.['replacement']) ?? '';
}

/** The words that replace a result are not recorded for a microcompaction. */
function clearedIn({ attachment }: JsonObject, result: JsonObject | undefined, place: number): readonly JsonObject[] {
  const standIn = asString(asObject(attachment)['standIn']);
  return standIn === null || !result ? [toTextBlock(CLEARED)] : toCutContent(result, place, standIn);
}

function edit(targetId: string | null, content: readonly JsonObject[]): JsonObject {
  return { targetId, replacement: { content } };
}

function compactionOf(
  records: ClaudeRecords,
  boundary: number,
  firstKeptEntryId: string | null,
  [metadata, summary]: readonly JsonObject[],
): JsonObject {
  const tokensBefore = records.boundaries.get(boundary)?.tokensBefore ?? null;
  return {
    summary: joinTextBlocks(contentOf(summary ?? {})),
    sentVerbatim: true,
    firstKeptEntryId,
    ...(tokensBefore === null ? {} : { tokensBefore }),
    details: { ...asObject(metadata?.['compactMetadata']) },
  };
}

function transform(transformerName: string, title: string, patch: readonly JsonObject[]): JsonObject {
  return { schemaVersion: 1, transformerName, patch, display: { title } };
}

/** The entries of nodes, in the order of their lines. */
export function buildEntries(nodes: Nodes): ReturnType<typeof buildAgentEntries> {
  const { records } = nodes;
  return buildAgentEntries(records.table, {
    rows: nodes,
    order: nodes.inOrder(),
    time: (node) => records.time(nodes.timed(node)),
    lines: (node) => nodes.lines(node),
    timestamp: (node) => records.timestamp(nodes.timed(node)),
    lostParent: (node) => nodes.lostParent(node),
    fields: (node, values, target) => fieldsOf(nodes, node, target, values),
  });
}
