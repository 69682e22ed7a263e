import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath, pathTo } from '#session/tree/tree.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';

/** A request, its answer and the end of its turn, as places on a path. */
export interface PlacedRequest {
  /** Counted from 1 along the path. */
  readonly number: number;
  /** The entry at which it is built; -1: before the first one. */
  readonly at: number;
  /** The message that answers it; null where none is recorded. */
  readonly answer: number | null;
  /** The entry that ends the turn: the last tool result, or the answer where it calls no tool. */
  readonly end: number | null;
}

/** The path to an entry, and on to the leaf if the entry is above it: the answers are there. */
export function extendToLeaf({ tree }: Session, at: Head | null): readonly Head[] {
  const active = activePath(tree);
  if (at === null) return active;
  return active.some(({ index }) => index === at.index) ? active : pathTo(tree, at);
}

/** Every request that a path records, and at its end the one that it waits for, where something is not answered yet. */
export function listPathRequests(path: readonly Head[]): readonly PlacedRequest[] {
  const recorded = listRecordedRequests(path);
  const end = recorded.at(-1)?.end ?? -1;
  const isWaiting = path.slice(end + 1).some(startsTurn) || path[end]?.role === 'toolResult';
  return isWaiting ? [...recorded, findRequestAt(path, path.length - 1)] : recorded;
}

function listRecordedRequests(path: readonly Head[]): readonly PlacedRequest[] {
  const requests: PlacedRequest[] = [];
  for (const [answer, head] of path.entries()) {
    if (!answersRequest(head)) continue;
    requests.push({ number: requests.length + 1, at: answer - 1, answer, end: findTurnEnd(path, answer) });
  }
  return requests;
}

/** The request at a place of a path, recorded or not. */
export function findRequestAt(path: readonly Head[], at: number): PlacedRequest {
  const number = path.slice(0, at + 1).filter(answersRequest).length + 1;
  const next = path[at + 1];
  if (!next || !answersRequest(next)) return { number, at, answer: null, end: null };
  return { number, at, answer: at + 1, end: findTurnEnd(path, at + 1) };
}

function findTurnEnd(path: readonly Head[], answer: number): number {
  let end = answer;
  for (let place = answer + 1; place < path.length; place += 1) {
    const head = path[place];
    if (!head || answersRequest(head) || startsTurn(head)) break;
    if (head.role === 'toolResult') end = place;
  }
  return end;
}
