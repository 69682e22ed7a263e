import { asObject, asString, isObject, type JsonObject, listTexts } from '#base/json.js';

/** A compaction boundary: the record before it, and what it keeps of the messages before it. Texts are numbers. */
export interface Boundary {
  readonly logicalParent: number;
  readonly tokensBefore: number | null;
  /** Whether Claude Code compacted because the context was nearly full. */
  readonly isAutomatic: boolean;
  /** The messages that it names to keep; null if it names none in a known form. */
  readonly named: KeptMessages | null;
  /** Whether the boundary names anything to keep, even in an unknown form. */
  readonly hasNamed: boolean;
}

/** The messages that a boundary keeps, by uuid; of a segment only its ends. */
export interface KeptMessages {
  /** The record that they follow: the summary. */
  readonly anchor: number;
  readonly uuids: readonly number[];
  readonly isSegment: boolean;
}

/** Reads the boundary of a record. `intern`: the number of a text. */
export function readBoundary(value: JsonObject, intern: (text: string) => number): Boundary {
  const metadata = asObject(value['compactMetadata']);
  const { preservedMessages: list, preservedSegment: segment, preTokens } = metadata;
  const textOf = (of: unknown): number => intern(asString(of) ?? '');
  let named: KeptMessages | null = null;
  if (isObject(list)) {
    named = { anchor: textOf(list['anchorUuid']), uuids: listTexts(list['uuids']).map(intern), isSegment: false };
  } else if (isObject(segment)) {
    const uuids = [textOf(segment['headUuid']), textOf(segment['tailUuid'])];
    named = { anchor: textOf(segment['anchorUuid']), uuids, isSegment: true };
  }
  return {
    logicalParent: textOf(value['logicalParentUuid']),
    tokensBefore: typeof preTokens === 'number' ? preTokens : null,
    isAutomatic: metadata['trigger'] === 'auto',
    named,
    hasNamed: Boolean(list) || Boolean(segment),
  };
}

/** The messages that a boundary keeps; null for none. A list counts only if all of its messages are in the file. */
export function findKept({ named }: Boundary, has: (uuid: number) => boolean): KeptMessages | null {
  if (named === null || named.isSegment) return named;
  return named.uuids.length > 0 && named.uuids.every(has) ? named : null;
}
