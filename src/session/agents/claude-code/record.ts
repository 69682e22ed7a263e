import { asString, isObject, type JsonObject } from '#base/json.js';

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
