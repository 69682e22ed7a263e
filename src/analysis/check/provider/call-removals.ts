import type { Provenance } from '#context/replay/envelope.js';
import { messageOf } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { activePath } from '#session/tree/tree.js';
import { contentListOf } from './message.js';
import { readCallAt } from './tool-call.js';

/** A call that was removed from the context, and the entry that removed it. */
export interface CallRemoval {
  readonly entry: Head;
  readonly call: Head;
}

interface PathIndex {
  /** The entry of each tool call on the active path, by the call's id. */
  readonly calls: ReadonlyMap<string, number>;
  /** The last edit of an entry. */
  readonly edits: ReadonlyMap<number, Head>;
  readonly transforms: readonly Head[];
  /** The position of each entry of the file on the path, counted from 1. */
  readonly places: Uint32Array;
}

const removalsBySession = new WeakMap<Session, CallRemovals>();

/**
 * The entries that removed tool calls of the active path. Nothing is looked up until a result is found without its
 * call.
 */
export class CallRemovals {
  static of(session: Session): CallRemovals {
    const removals = removalsBySession.get(session) ?? new CallRemovals(session);
    removalsBySession.set(session, removals);
    return removals;
  }

  private found: PathIndex | null = null;

  private constructor(private readonly session: Session) {}

  /** The entry that separated a result from its call; null if there was no call. `first` is the first message sent. */
  find(callId: string, result: Provenance, first: Provenance | null): CallRemoval | null {
    this.found ??= findPathCalls(this.session);
    const { calls, edits, transforms, places } = this.found;
    const { heads } = this.session.tree;
    const call = heads.at(calls.get(callId) ?? -1);
    const resultHead = findHeadAtLine(this.session, result.line, result.entryId);
    const placeOf = (head: Head | undefined): number => (head ? (places[head.index] ?? 0) : 0);
    const place = placeOf(call);
    if (!call || placeOf(resultHead) <= place) return null;
    const summary =
      first?.origin === 'compaction' ? findHeadAtLine(this.session, first.line, first.entryId) : undefined;
    const entry =
      edits.get(call.index) ??
      (result.origin === 'transform' ? resultHead : undefined) ??
      (placeOf(summary) > place ? summary : undefined) ??
      transforms.find((transform) => placeOf(transform) > place);
    return entry ? { entry, call } : null;
  }
}

function findPathCalls(session: Session): PathIndex {
  const { tree } = session;
  const path = activePath(tree);
  const places = new Uint32Array(tree.heads.length);
  const calls = new Map<string, number>();
  const edits = new Map<number, Head>();
  const transforms: Head[] = [];
  for (const [at, head] of path.entries()) {
    places[head.index] = at + 1;
    if (head.type === 'context_edit') edits.set(tree.heads.targetAt(head.index), head);
    else if (head.type === 'context_transform') transforms.push(head);
    else if (head.role === 'assistant') addCalls(session, head, calls);
  }
  return { calls, edits, transforms, places };
}

function addCalls(session: Session, head: Head, calls: Map<string, number>): void {
  const content = contentListOf(messageOf(session.entry(head)) ?? {});
  for (let at = 0; at < content.length; at += 1) {
    const id = readCallAt(content, at)?.id;
    if (id !== undefined && !calls.has(id)) calls.set(id, head.index);
  }
}
