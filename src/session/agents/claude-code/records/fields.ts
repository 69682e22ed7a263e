import type { JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { FieldLayout, VALUE_KIND, valueKindOf, valueNumberOf } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';

/** The fields that the tree depends on. */
export const CLAUDE_LAYOUT = new FieldLayout({
  type: 'type',
  uuid: 'uuid',
  parentUuid: 'parentUuid',
  timestamp: 'timestamp:time',
  sessionId: 'sessionId',
  cwd: 'cwd',
  branch: 'gitBranch',
  version: 'version',
  agentId: 'agentId',
  fork: 'forkedFrom:kind',
  origin: 'forkedFrom.sessionId',
  subtype: 'subtype',
  isSide: 'isSidechain:kind',
  teamName: 'teamName:kind',
  isMeta: 'isMeta:kind',
  isVirtual: 'isVirtual:kind',
  isDisplayOnly: 'isDisplayOnly:kind',
  isSummary: 'isCompactSummary:kind',
  message: 'message:kind',
  answerId: 'message.id',
  model: 'message.model',
  stopReason: 'message.stop_reason:kind',
  content: 'message.content:list',
  blockType: 'message.content.type',
  blockResultOf: 'message.content.tool_use_id',
  blockId: 'message.content.id',
  blockName: 'message.content.name',
  attachmentObject: 'attachment:kind',
  attachmentType: 'attachment.type',
  attachmentContent: 'attachment.content:kind',
  hookEvent: 'attachment.hookEvent',
  commandMode: 'attachment.commandMode',
  isMetaWords: 'attachment.isMeta:kind',
  wordsOrigin: 'attachment.origin:kind',
  wordsOriginKind: 'attachment.origin.kind',
  rendered: 'rendered:kind',
  renderedRole: 'renderedRole',
  shapeHash: 'shapeHash',
  hash: 'hash',
  messageRole: 'message.role',
  operation: 'operation',
});

/** The places of these fields in a record; those of a block in the row of an item. */
export const CLAUDE_FIELD = CLAUDE_LAYOUT.wordOf;

/**
 * The texts that the reader compares with, by their names here. The types of records with a place in the tree come
 * first: see `isChainType`.
 */
const TEXTS = {
  user: 'user',
  assistant: 'assistant',
  attachment: 'attachment',
  system: 'system',
  progress: 'progress',
  empty: '',
  toolResult: 'tool_result',
  toolUse: 'tool_use',
  compactBoundary: 'compact_boundary',
  microcompactBoundary: 'microcompact_boundary',
  contentReplacement: 'content-replacement',
  summary: 'summary',
  aiTitle: 'ai-title',
  customTitle: 'custom-title',
  synthetic: '<synthetic>',
  // The client's code name of a context collapse: some messages are replaced by a summary.
  collapse: 'marble-origami-commit',
  contextRef: 'fork-context-ref',
  lastPrompt: 'last-prompt',
  requestShape: 'api-request-shape',
  apiRequest: 'api-request',
  resultsCut: 'tool_results_cut',
  requestBlob: 'api-request-blob',
  costState: 'cost-state',
  queuedCommand: 'queued_command',
  hookSuccess: 'hook_success',
  prompt: 'prompt',
  human: 'human',
  localCommand: 'local_command',
  queueOperation: 'queue-operation',
  enqueue: 'enqueue',
  dequeue: 'dequeue',
  remove: 'remove',
} as const;

/** The known texts, in the order of their numbers. */
export const KNOWN_TEXTS = Object.values(TEXTS);

/** The numbers of the known texts, from 1. */
export const KNOWN_TEXT = Object.fromEntries(Object.keys(TEXTS).map((name, at) => [name, at + 1])) as Readonly<
  Record<keyof typeof TEXTS, number>
>;

const { user, assistant, attachment, system, progress } = KNOWN_TEXT;

/** The types of records of the chain. */
export const RECORD_TYPE = { user, assistant, attachment, system, progress } as const;

/**
 * Whether a provider gave the answer of a line. The client writes answers itself, as after an error or when it resumes.
 */
export function isProviderAnswer(fields: LineFields, line: number): boolean {
  const model = fields.textAt(line, CLAUDE_FIELD.model);
  return model !== 0 && model !== KNOWN_TEXT.synthetic;
}

/** The types of records with a title, and its field; a later one in this list is preferred. */
export const TITLE_RECORDS = [
  { type: KNOWN_TEXT.summary, field: 'summary' },
  { type: KNOWN_TEXT.aiTitle, field: 'aiTitle' },
  { type: KNOWN_TEXT.customTitle, field: 'customTitle' },
] as const;

/** Whether records of a type have a place in the tree. */
export function isChainType(type: number): boolean {
  return type >= RECORD_TYPE.user && type <= RECORD_TYPE.progress;
}

/** The subtype of a system record, or the type of an attachment. */
export function kindOf(fields: LineFields, line: number): number {
  const isSystem = fields.textAt(line, CLAUDE_FIELD.type) === RECORD_TYPE.system;
  return fields.textAt(line, isSystem ? CLAUDE_FIELD.subtype : CLAUDE_FIELD.attachmentType);
}

/** The timestamp of a line; empty without one. */
export function readTimestamp(fields: LineFields, line: number): string {
  const word = fields.at(line, CLAUDE_FIELD.timestamp);
  const kind = valueKindOf(word);
  if (kind === VALUE_KIND.time) return formatTime(fields.timeAt(line, CLAUDE_FIELD.timestamp)) ?? '';
  return kind === VALUE_KIND.text ? fields.text(valueNumberOf(word)) : '';
}

export function isResultBlock(block: JsonObject): boolean {
  return block['type'] === 'tool_result';
}
