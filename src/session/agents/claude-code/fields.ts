import { FieldLayout } from '../../scan/fields.js';

/** The fields that the tree depends on. */
export const PATHS = [
  'type',
  'uuid',
  'parentUuid',
  'timestamp:time',
  'sessionId',
  'cwd',
  'version',
  'agentId',
  'subtype',
  'isSidechain:kind',
  'teamName:kind',
  'isMeta:kind',
  'isCompactSummary:kind',
  'message:kind',
  'message.id',
  'message.model',
  'message.content:list',
  'message.content.type',
  'message.content.tool_use_id',
  'message.content.id',
  'message.content.name',
  'attachment:kind',
  'attachment.type',
] as const;

export const LAYOUT = new FieldLayout(PATHS);

/** The places of these fields in a record. */
export const SLOT = {
  type: LAYOUT.slot('type'),
  uuid: LAYOUT.slot('uuid'),
  parent: LAYOUT.slot('parentUuid'),
  timestamp: LAYOUT.slot('timestamp'),
  sessionId: LAYOUT.slot('sessionId'),
  cwd: LAYOUT.slot('cwd'),
  version: LAYOUT.slot('version'),
  agentId: LAYOUT.slot('agentId'),
  subtype: LAYOUT.slot('subtype'),
  isSide: LAYOUT.slot('isSidechain'),
  team: LAYOUT.slot('teamName'),
  isMeta: LAYOUT.slot('isMeta'),
  isSummary: LAYOUT.slot('isCompactSummary'),
  answer: LAYOUT.slot('message.id'),
  model: LAYOUT.slot('message.model'),
  content: LAYOUT.slot('message.content'),
  attachment: LAYOUT.slot('attachment.type'),
} as const;

/** Those of the fields of a block in the row of an item. */
export const BLOCK = {
  type: LAYOUT.slot('message.content.type'),
  result: LAYOUT.slot('message.content.tool_use_id'),
  id: LAYOUT.slot('message.content.id'),
  name: LAYOUT.slot('message.content.name'),
} as const;

/** The texts with a number that is known. */
export const KNOWN = [
  'user',
  'assistant',
  'attachment',
  'system',
  'progress',
  '',
  'tool_result',
  'tool_use',
  'compact_boundary',
  'microcompact_boundary',
  'content-replacement',
  'summary',
  'ai-title',
  'custom-title',
  '<synthetic>',
] as const;

function numberOfText(text: (typeof KNOWN)[number]): number {
  return KNOWN.indexOf(text) + 1;
}

/** The types of records of the chain. */
export const TYPE = {
  user: numberOfText('user'),
  assistant: numberOfText('assistant'),
  attachment: numberOfText('attachment'),
  system: numberOfText('system'),
  progress: numberOfText('progress'),
} as const;

export const TEXT = {
  empty: numberOfText(''),
  result: numberOfText('tool_result'),
  call: numberOfText('tool_use'),
  boundary: numberOfText('compact_boundary'),
  microcompact: numberOfText('microcompact_boundary'),
  replacement: numberOfText('content-replacement'),
  synthetic: numberOfText('<synthetic>'),
} as const;

/** Records with a title, and its field; a later one in this list is preferred. */
export const TITLES: readonly (readonly [type: number, field: string])[] = [
  [numberOfText('summary'), 'summary'],
  [numberOfText('ai-title'), 'aiTitle'],
  [numberOfText('custom-title'), 'customTitle'],
];
