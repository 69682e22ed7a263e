import { asObject, asString, isObject, type JsonObject, listTexts } from '#base/json.js';

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
