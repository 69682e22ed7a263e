import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { LineSpan } from '../../scan/bytes.js';
import type { ForeignLine } from '../define.js';

/** A record of the chain, without its content. */
export interface ChainRecord {
  /** Its place among the records of the chain. */
  readonly at: number;
  readonly span: LineSpan;
  readonly type: string;
  /** The subtype of a system record, or the type of an attachment. */
  readonly kind: string | null;
  readonly uuid: string;
  readonly parent: string | null;
  readonly timestamp: string;
  readonly isSide: boolean;
  readonly isTeam: boolean;
  readonly isMeta: boolean;
  readonly isSummary: boolean;
  /** The id of the API answer that the record is a part of. */
  readonly answer: string | null;
  readonly model: string | null;
  /** The ids of the calls whose results a user record contains. */
  readonly results: readonly string[];
  readonly hasOtherContent: boolean;
  readonly hasUsage: boolean;
  /** The ids of the calls of an answer. */
  readonly calls: readonly string[];
  /** Whether it names a parent, of whatever type. */
  readonly isLinked: boolean;
  readonly boundary: Boundary | null;
  /** The results that a microcompaction cleared. */
  readonly cleared: readonly string[];
}

/** A compaction boundary: the record before it, and what it keeps of the messages before it. */
interface Boundary {
  readonly logicalParent: string | null;
  readonly tokensBefore: number | null;
  readonly messages: { readonly anchor: string; readonly uuids: readonly string[] } | null;
  readonly segment: { readonly anchor: string; readonly head: string; readonly tail: string } | null;
  /** Whether it names anything to keep, whatever the form. */
  readonly keeps: boolean;
}

/** One list for all records without any, since a file has many. */
const NONE: readonly never[] = [];

const CHAIN: ReadonlySet<unknown> = new Set(['user', 'assistant', 'attachment', 'system', 'progress']);

/** The record of a line; null if it is not part of the chain. */
export function chainRecord({ value }: ForeignLine, span: LineSpan, at: number): ChainRecord | null {
  const { type, uuid } = value;
  if (!CHAIN.has(type) || typeof uuid !== 'string') return null;
  const message = isObject(value['message']) ? value['message'] : {};
  const content = type === 'user' ? objectsIn(message['content']) : NONE;
  const results = content.filter(isResult).map((block) => asString(block['tool_use_id']) ?? '');
  const kind =
    type === 'system' ? value['subtype'] : isObject(value['attachment']) ? value['attachment']['type'] : null;
  return {
    at,
    span,
    type: type as string,
    kind: asString(kind),
    uuid,
    parent: asString(value['parentUuid']) || null,
    timestamp: asString(value['timestamp']) ?? '',
    isSide: Boolean(value['isSidechain']),
    isTeam: Boolean(value['teamName']),
    isMeta: Boolean(value['isMeta']),
    isSummary: type === 'user' && Boolean(value['isCompactSummary']),
    answer: type === 'assistant' ? asString(message['id']) || null : null,
    model: type === 'assistant' ? asString(message['model']) : null,
    results: results.length === 0 ? NONE : results,
    hasOtherContent: results.length === 0 || content.length > results.length,
    hasUsage: type === 'assistant' && isObject(message['usage']),
    calls: type === 'assistant' ? callsIn(message) : NONE,
    isLinked: Boolean(value['parentUuid']),
    boundary: type === 'system' && kind === 'compact_boundary' ? boundaryOf(value) : null,
    cleared: kind === 'microcompact_boundary' ? clearedBy(value) : NONE,
  };
}

export function isResult(block: JsonObject): boolean {
  return block['type'] === 'tool_result';
}

function callsIn(message: JsonObject): readonly string[] {
  const calls = objectsIn(message['content']).flatMap(({ type, id }) =>
    type === 'tool_use' && typeof id === 'string' ? [id] : [],
  );
  return calls.length === 0 ? NONE : calls;
}

/** The lines of an answer by its id, and results by the lines or calls that they follow. */
export class Families {
  readonly answers = new Map<string, ChainRecord[]>();
  private readonly byParent = new Map<string, ChainRecord[]>();
  private readonly byCall = new Map<string, ChainRecord[]>();

  /** `key`: the id of an answer, unique among the records. */
  add(record: ChainRecord, parent: string | null, key: string | null = record.answer): void {
    if (key !== null) pushTo(this.answers, key, record);
    if (!record.isLinked || record.results.length === 0) return;
    if (parent !== null) pushTo(this.byParent, parent, record);
    for (const id of record.results) pushTo(this.byCall, id, record);
  }

  /** The results of the lines of an answer, each once. */
  resultsOf(lines: readonly ChainRecord[]): readonly ChainRecord[] {
    const found = new Set<ChainRecord>();
    for (const { uuid, calls } of lines) {
      for (const record of this.byParent.get(uuid) ?? []) found.add(record);
      for (const id of calls) for (const record of this.byCall.get(id) ?? []) found.add(record);
    }
    return [...found];
  }
}

/** Adds a value to the list of a key. */
function pushTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function boundaryOf(value: JsonObject): Boundary {
  const metadata = isObject(value['compactMetadata']) ? value['compactMetadata'] : {};
  const { preservedMessages: messages, preservedSegment: segment, preTokens } = metadata;
  return {
    logicalParent: asString(value['logicalParentUuid']),
    tokensBefore: typeof preTokens === 'number' ? preTokens : null,
    messages: isObject(messages)
      ? { anchor: asString(messages['anchorUuid']) ?? '', uuids: textsIn(messages['uuids']) }
      : null,
    segment: isObject(segment)
      ? {
          anchor: asString(segment['anchorUuid']) ?? '',
          head: asString(segment['headUuid']) ?? '',
          tail: asString(segment['tailUuid']) ?? '',
        }
      : null,
    keeps: Boolean(messages) || Boolean(segment),
  };
}

function clearedBy(value: JsonObject): readonly string[] {
  const metadata = value['microcompactMetadata'];
  return isObject(metadata) ? textsIn(metadata['compactedToolIds']) : [];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
