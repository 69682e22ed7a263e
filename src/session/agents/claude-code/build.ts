import { asObject, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { entryTable } from '../entry-heads.js';
import { attachmentMessage } from './attachments.js';
import { answerMessage, contentOf, cutContent, providerOf, resultMessage, textOf, userContent } from './content.js';
import type { Nodes } from './nodes.js';
import { op, shapeOps, snapshotOps } from './prompts.js';
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
      return { message: answerMessage(values) };
    case 'model':
      return {
        provider: providerOf(asObject(value['message'])),
        modelId: records.table.text(nodes.model(node)),
      };
    case 'text':
      return { message: { role: 'user', content: userContent(contentOf(value)), timestamp: records.time(record) } };
    case 'meta':
      return { customType: 'claude-code:meta', content: userContent(contentOf(value)), display: false };
    case 'result':
      return { message: resultMessage(value, nodes.place(node), records.blocks.toolName(nodes.call(node))) };
    case 'replaced':
      return edit(target, [textBlock(replacementIn(records, nodes.call(node), value))]);
    case 'cleared':
      return edit(target, clearedIn(value, values[1], nodes.place(nodes.target(node))));
    case 'snapshot':
      return transform('prompt-snapshot', 'prompt and tools', snapshotOps(value));
    case 'shape':
      return transform('api-request', 'prompt and tools', shapeOps(value));
    case 'attachment':
      return attachmentMessage(value);
    case 'compaction':
      return compactionOf(records, record, target, values);
    case 'reset':
      return transform('boundary', 'no message is kept', [op('messages_cached_replace', { messages: [] })]);
  }
}

/** The text that the model was shown instead of the result of a call. */
function replacementIn({ replacements }: ClaudeRecords, call: number, value: JsonObject): string {
  const place = replacements.get(call)?.place ?? 0;
  const text = objectsIn(value['replacements'])[place]?.['replacement'];
  return typeof text === 'string' ? text : '';
}

/** The words that replace a result are not recorded for a microcompaction. */
function clearedIn({ attachment }: JsonObject, result: JsonObject | undefined, place: number): readonly JsonObject[] {
  const standIn = asString(asObject(attachment)['standIn']);
  return standIn === null || !result ? [textBlock(CLEARED)] : cutContent(result, place, standIn);
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
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
    summary: textOf(contentOf(summary ?? {})),
    sentVerbatim: true,
    firstKeptEntryId,
    ...(tokensBefore === null ? {} : { tokensBefore }),
    details: { ...(isObject(metadata?.['compactMetadata']) ? metadata['compactMetadata'] : {}) },
  };
}

function transform(transformerName: string, title: string, patch: readonly JsonObject[]): JsonObject {
  return { schemaVersion: 1, transformerName, patch, display: { title } };
}

/** The entries of nodes, in the order of their lines. */
export function entriesOf(nodes: Nodes): ReturnType<typeof entryTable> {
  const { records } = nodes;
  return entryTable(records.table, {
    rows: nodes,
    order: nodes.inOrder(),
    time: (node) => records.time(nodes.record(node)),
    lines: (node) => nodes.lines(node),
    timestamp: (node) => records.timestamp(nodes.record(node)),
    fields: (node, values, target) => fieldsOf(nodes, node, target, values),
  });
}
