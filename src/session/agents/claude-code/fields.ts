import { asString, isObject, type JsonObject } from '#base/json.js';
import { FieldLayout } from '../../scan/fields.js';

/** The fields that the tree depends on. */
export const LAYOUT = new FieldLayout({
  type: 'type',
  uuid: 'uuid',
  parent: 'parentUuid',
  timestamp: 'timestamp:time',
  sessionId: 'sessionId',
  cwd: 'cwd',
  version: 'version',
  agentId: 'agentId',
  subtype: 'subtype',
  isSide: 'isSidechain:kind',
  team: 'teamName:kind',
  isMeta: 'isMeta:kind',
  isSummary: 'isCompactSummary:kind',
  message: 'message:kind',
  answer: 'message.id',
  model: 'message.model',
  content: 'message.content:list',
  blockType: 'message.content.type',
  blockResult: 'message.content.tool_use_id',
  blockId: 'message.content.id',
  blockName: 'message.content.name',
  attached: 'attachment:kind',
  attachment: 'attachment.type',
});

/** The places of these fields in a record; those of a block in the row of an item. */
export const SLOT = LAYOUT.slot;

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

/** A compaction boundary: the record before it, and what it keeps of the messages before it. Texts are numbers. */
export interface Boundary {
  readonly logicalParent: number;
  readonly tokensBefore: number | null;
  readonly messages: { readonly anchor: number; readonly uuids: readonly number[] } | null;
  readonly segment: { readonly anchor: number; readonly head: number; readonly tail: number } | null;
  /** Whether it names anything to keep, whatever the form. */
  readonly keeps: boolean;
}

type Intern = (text: string) => number;

/** Reads the boundary of a record. */
export function boundaryOf(value: JsonObject, intern: Intern): Boundary {
  const metadata = isObject(value['compactMetadata']) ? value['compactMetadata'] : {};
  const { preservedMessages: messages, preservedSegment: segment, preTokens } = metadata;
  const textOf = (of: unknown): number => intern(asString(of) ?? '');
  return {
    logicalParent: textOf(value['logicalParentUuid']),
    tokensBefore: typeof preTokens === 'number' ? preTokens : null,
    messages: isObject(messages)
      ? { anchor: textOf(messages['anchorUuid']), uuids: textsIn(messages['uuids']).map(intern) }
      : null,
    segment: isObject(segment)
      ? { anchor: textOf(segment['anchorUuid']), head: textOf(segment['headUuid']), tail: textOf(segment['tailUuid']) }
      : null,
    keeps: Boolean(messages) || Boolean(segment),
  };
}

/** The calls whose results a microcompaction cleared. */
export function clearedBy(value: JsonObject, intern: Intern): readonly number[] {
  const metadata = value['microcompactMetadata'];
  return isObject(metadata) ? textsIn(metadata['compactedToolIds']).map(intern) : [];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

export function isResult(block: JsonObject): boolean {
  return block['type'] === 'tool_result';
}
