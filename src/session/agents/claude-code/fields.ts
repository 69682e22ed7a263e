import { asObject, asString, isObject, type JsonObject, listTexts } from '#base/json.js';
import { FieldLayout, textNumberOf, VALUE_KIND, valueKindOf, valueNumberOf } from '../../scan/field-layout.js';
import type { LineFields } from '../../scan/line-fields.js';

/** The fields that the tree depends on. */
export const CLAUDE_LAYOUT = new FieldLayout({
  type: 'type',
  uuid: 'uuid',
  parent: 'parentUuid',
  timestamp: 'timestamp:time',
  sessionId: 'sessionId',
  cwd: 'cwd',
  version: 'version',
  agentId: 'agentId',
  fork: 'forkedFrom:kind',
  origin: 'forkedFrom.sessionId',
  subtype: 'subtype',
  isSide: 'isSidechain:kind',
  team: 'teamName:kind',
  isMeta: 'isMeta:kind',
  isSummary: 'isCompactSummary:kind',
  message: 'message:kind',
  answer: 'message.id',
  model: 'message.model',
  stopReason: 'message.stop_reason:kind',
  content: 'message.content:list',
  blockType: 'message.content.type',
  blockResult: 'message.content.tool_use_id',
  blockId: 'message.content.id',
  blockName: 'message.content.name',
  attached: 'attachment:kind',
  attachment: 'attachment.type',
  said: 'attachment.content:kind',
  event: 'attachment.hookEvent',
  mode: 'attachment.commandMode',
  isMetaWords: 'attachment.isMeta:kind',
  from: 'attachment.origin:kind',
  fromKind: 'attachment.origin.kind',
  rendered: 'rendered:kind',
  role: 'renderedRole',
  shape: 'shapeHash',
  hash: 'hash',
  messageRole: 'message.role',
  operation: 'operation',
});

/** The places of these fields in a record; those of a block in the row of an item. */
export const CLAUDE_FIELD = CLAUDE_LAYOUT.slot;

/** The texts with a number that is known. */
export const KNOWN_TEXTS = [
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
  'marble-origami-commit',
  'api-request-shape',
  'api-request',
  'tool_results_cut',
  'api-request-blob',
  'cost-state',
  'queued_command',
  'hook_success',
  'prompt',
  'human',
  'local_command',
  'queue-operation',
  'enqueue',
  'dequeue',
  'remove',
] as const;

function numberOfText(text: (typeof KNOWN_TEXTS)[number]): number {
  return KNOWN_TEXTS.indexOf(text) + 1;
}

/** The types of records of the chain. */
export const RECORD_TYPE = {
  user: numberOfText('user'),
  assistant: numberOfText('assistant'),
  attachment: numberOfText('attachment'),
  system: numberOfText('system'),
  progress: numberOfText('progress'),
} as const;

export const KNOWN_TEXT = {
  empty: numberOfText(''),
  result: numberOfText('tool_result'),
  call: numberOfText('tool_use'),
  boundary: numberOfText('compact_boundary'),
  microcompact: numberOfText('microcompact_boundary'),
  replacement: numberOfText('content-replacement'),
  synthetic: numberOfText('<synthetic>'),
  collapse: numberOfText('marble-origami-commit'),
  shape: numberOfText('api-request-shape'),
  request: numberOfText('api-request'),
  blob: numberOfText('api-request-blob'),
  cut: numberOfText('tool_results_cut'),
  costState: numberOfText('cost-state'),
  queued: numberOfText('queued_command'),
  printed: numberOfText('hook_success'),
  prompt: numberOfText('prompt'),
  human: numberOfText('human'),
  localCommand: numberOfText('local_command'),
  queue: numberOfText('queue-operation'),
  enqueue: numberOfText('enqueue'),
  dequeue: numberOfText('dequeue'),
  remove: numberOfText('remove'),
} as const;

/** Whether a provider gave the answer of a line. The client writes answers itself, as after an error or when it resumes. */
export function isProviderAnswer(table: LineFields, line: number): boolean {
  const model = table.textAt(line, CLAUDE_FIELD.model);
  return model !== 0 && model !== KNOWN_TEXT.synthetic;
}

/** Records with a title, and its field; a later one in this list is preferred. */
export const TITLE_RECORDS: readonly (readonly [type: number, field: string])[] = [
  [numberOfText('summary'), 'summary'],
  [numberOfText('ai-title'), 'aiTitle'],
  [numberOfText('custom-title'), 'customTitle'],
];

/** A compaction boundary: the record before it, and what it keeps of the messages before it. Texts are numbers. */
export interface Boundary {
  readonly logicalParent: number;
  readonly tokensBefore: number | null;
  /** Whether Claude Code compacted because the context was nearly full. */
  readonly isAutomatic: boolean;
  readonly messages: { readonly anchor: number; readonly uuids: readonly number[] } | null;
  readonly segment: { readonly anchor: number; readonly head: number; readonly tail: number } | null;
  /** Whether it names anything to keep, whatever the form. */
  readonly keeps: boolean;
}

type Intern = (text: string) => number;

/** Reads the boundary of a record. */
export function readBoundary(value: JsonObject, intern: Intern): Boundary {
  const metadata = asObject(value['compactMetadata']);
  const { preservedMessages: messages, preservedSegment: segment, preTokens } = metadata;
  const textOf = (of: unknown): number => intern(asString(of) ?? '');
  return {
    logicalParent: textOf(value['logicalParentUuid']),
    tokensBefore: typeof preTokens === 'number' ? preTokens : null,
    isAutomatic: metadata['trigger'] === 'auto',
    messages: isObject(messages)
      ? { anchor: textOf(messages['anchorUuid']), uuids: listTexts(messages['uuids']).map(intern) }
      : null,
    segment: isObject(segment)
      ? { anchor: textOf(segment['anchorUuid']), head: textOf(segment['headUuid']), tail: textOf(segment['tailUuid']) }
      : null,
    keeps: Boolean(messages) || Boolean(segment),
  };
}

/** The calls whose results a record cleared: a microcompaction, or a cut with the words that replace them. */
export function readClearedCalls(value: JsonObject, intern: Intern): readonly number[] {
  const { callIds, standIn, cause } = asObject(value['attachment']);
  const isCut = typeof standIn === 'string' && standIn !== '' && (cause === undefined || cause === WITHDRAWN);
  const calls = isCut ? callIds : asObject(value['microcompactMetadata'])['compactedToolIds'];
  return listTexts(calls).map(intern);
}

/** The cause of a cut that a tool server asked for, which the client applies like one after a pause. */
const WITHDRAWN = 'withdrawn_by_tool';

export function isResultBlock(block: JsonObject): boolean {
  return block['type'] === 'tool_result';
}

/** The objects in the contents of messages: calls and their results, by record. */
export class Blocks {
  /** By the call. */
  private readonly toolNames: Int32Array;

  constructor(private readonly table: LineFields) {
    this.toolNames = new Int32Array(table.texts + 1);
  }

  /** The number of objects in the content. */
  count(line: number): number {
    const word = this.table.at(line, CLAUDE_FIELD.content);
    return valueKindOf(word) === VALUE_KIND.list ? valueNumberOf(word) : 0;
  }

  /** Records the names of the tools that an answer calls. */
  nameTools(line: number): void {
    const { items, itemWords } = this.table;
    const first = this.table.firstItem(line) * itemWords;
    const end = first + this.count(line) * itemWords;
    for (let at = first; at < end; at += itemWords) {
      const id = textNumberOf(items[at + CLAUDE_FIELD.blockId] ?? 0);
      const name = textNumberOf(items[at + CLAUDE_FIELD.blockName] ?? 0);
      if (id !== 0 && name !== 0 && textNumberOf(items[at + CLAUDE_FIELD.blockType] ?? 0) === KNOWN_TEXT.call)
        this.toolNames[id] = name;
    }
  }

  /** The name of the tool of a call, empty if it is unknown. */
  toolName(call: number): string {
    const name = this.toolNames[call] ?? 0;
    return name === 0 ? '' : this.table.text(name);
  }

  /** The calls whose results the message of a line contains. */
  results(line: number): readonly number[] {
    const calls = this.textsOf(line, KNOWN_TEXT.result, CLAUDE_FIELD.blockResult);
    // A result without a call is one, too.
    return calls.includes(0) ? calls.map((call) => call || KNOWN_TEXT.empty) : calls;
  }

  /** Whether the message of a line has a text, or blocks other than results. */
  hasOther(line: number): boolean {
    const isText = valueKindOf(this.table.at(line, CLAUDE_FIELD.content)) === VALUE_KIND.text;
    return isText || this.count(line) > this.results(line).length;
  }

  /** The calls that the message of a line makes. */
  calls(line: number): readonly number[] {
    const calls = this.textsOf(line, KNOWN_TEXT.call, CLAUDE_FIELD.blockId);
    return calls.includes(0) ? calls.filter((call) => call !== 0) : calls;
  }

  /** The texts of a field of all objects of a type in a content; 0 for an object without the field. */
  private textsOf(line: number, type: number, slot: number): readonly number[] {
    const texts: number[] = [];
    const { items, itemWords } = this.table;
    const first = this.table.firstItem(line) * itemWords;
    const end = first + this.count(line) * itemWords;
    for (let at = first; at < end; at += itemWords)
      if (textNumberOf(items[at + CLAUDE_FIELD.blockType] ?? 0) === type)
        texts.push(textNumberOf(items[at + slot] ?? 0));
    return texts;
  }
}

/** Calls, or results of calls, each with its record. Those of one record are consecutive. */
export class CallList {
  readonly lines: number[] = [];
  readonly calls: number[] = [];

  add(line: number, calls: readonly number[]): void {
    for (const call of calls) {
      this.lines.push(line);
      this.calls.push(call);
    }
  }
}
