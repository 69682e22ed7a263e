import type { Baseline } from '../context/baseline.js';
import { contributionOf } from '../context/contribution.js';
import { toLlm } from '../context/convert.js';
import type { ReadPatch } from '../context/patch-step.js';
import { Replay } from '../context/replay.js';
import { MESSAGE_TYPES, transformerName } from '../context/selection.js';
import { recordedTokens, tokensOfMessage, tokensOfParts, tokensOfValue } from '../context/tokens.js';
import { PRUNE_TYPE } from '../plan/batches.js';
import type { Head } from '../session/head.js';
import type { Session } from '../session/session.js';
import { answersRequest, startsTurn } from '../session/turns.js';
import type { Pressure } from './pressure.js';

/** The end of a turn in which the model has answered. */
export interface TurnEnd extends Pressure {
  /** The last message of the turn. */
  readonly head: Head;
  /** As `@{turn:N}` counts. */
  readonly turn: number;
}

/** An entry that made the context smaller. One that was written twice is one. */
export interface Relief {
  readonly head: Head;
  readonly by: 'compact' | 'prune';
}

export type RecordedHappening =
  | { readonly kind: 'turn-end'; readonly end: TurnEnd }
  | { readonly kind: 'relief'; readonly relief: Relief };

export interface Recording {
  readonly path: readonly Head[];
  readonly readPatch: ReadPatch;
  /** What the session does not record. */
  readonly baseline: Baseline;
  /** Whether to look at the ends of turns, or after each answer and its tool results, as Pi's `turn_end` does. */
  readonly every: 'turn' | 'answer';
}

/**
 * What a path records for a gate, in order. Tokens are those that the provider counted with the last answer, and an
 * estimate of what was said since; only where there is no such number, everything is replayed. Throws a CtxError (input)
 * where a transform breaks a boundary rule.
 */
export function* turnEnds(session: Session, recording: Recording): Generator<RecordedHappening> {
  const { path, every } = recording;
  const measure = measureOf(session, recording);
  let turn = 0;
  let hasAnswer = false;
  let last = -1;
  let waiting: RecordedHappening[] = [];
  function* closed(): Generator<RecordedHappening> {
    const head = path[last];
    if (hasAnswer && head) yield { kind: 'turn-end', end: { head, turn, ...measure(last) } };
    yield* waiting;
    waiting = [];
    hasAnswer = false;
  }
  for (const [index, head] of path.entries()) {
    if (startsTurn(head)) {
      yield* closed();
      turn += 1;
    } else if (answersRequest(head) && every === 'answer') yield* closed();
    if (answersRequest(head) || head.role === 'toolResult') {
      // What made the context smaller in the middle of a turn did so before its end.
      yield* waiting;
      waiting = [];
      hasAnswer ||= answersRequest(head);
      last = index;
    }
    const by = reliefBy(session, path, index);
    if (by !== null) waiting.push({ kind: 'relief', relief: { head, by } });
  }
  yield* closed();
}

function reliefBy(session: Session, path: readonly Head[], index: number): Relief['by'] | null {
  const head = path[index];
  if (head?.type === 'compaction') return 'compact';
  if (head?.type === 'custom') return session.entry(head)['customType'] === PRUNE_TYPE ? 'prune' : null;
  if (head?.type !== 'context_transform') return null;
  const name = transformerName(session.entry(head));
  if (name === 'prune') return 'prune';
  // The compaction below it says the same for Pi.
  return name === 'compaction' && path[index + 1]?.type !== 'compaction' ? 'compact' : null;
}

const CHANGES_CONTEXT: ReadonlySet<string | null> = new Set(['context_edit', 'context_transform', 'compaction']);

/** Measures the context after an entry of a path; to be asked from the top to the bottom. Looks at each entry once. */
function measureOf(session: Session, recording: Recording): (index: number) => Pressure {
  const { path } = recording;
  const estimate = estimateOf(session, recording);
  let known: { readonly index: number; readonly pressure: Pressure | null } = { index: -1, pressure: null };
  const recordedAt = (index: number): Pressure | null => {
    let since = 0;
    for (let at = index; at > known.index; at -= 1) {
      const head = path[at];
      if (!head || CHANGES_CONTEXT.has(head.type)) return null;
      if (!MESSAGE_TYPES.has(head.type)) continue;
      const contributed = contributionOf(session.entry(head));
      const message = contributed && toLlm(contributed);
      const recorded = message && recordedTokens(message);
      if (recorded) return { tokens: recorded + since, recorded };
      if (message) since += tokensOfMessage(message);
    }
    return known.pressure && { tokens: known.pressure.tokens + since, recorded: known.pressure.recorded };
  };
  return (index) => {
    const pressure = recordedAt(index);
    known = { index, pressure };
    return pressure ?? { tokens: estimate(index), recorded: 0 };
  };
}

/** Estimates the context after an entry of a path, as `countTokens` does. Replays no more than it has to. */
function estimateOf(session: Session, { path, readPatch, baseline }: Recording): (index: number) => number {
  // A transform sees whole messages; of others only the size is needed.
  const sizesFrom = path.findLastIndex(({ type }) => type === 'context_transform') + 1;
  let replay: Replay | null = null;
  let next = 0;
  return (index) => {
    replay ??= new Replay(session, path, { readPatch, baseline, lenient: false, sizesFrom });
    for (; next <= index; next += 1) {
      const head = path[next];
      if (head) replay.step(head, next);
    }
    const { system, tools } = replay.declaredAsSent();
    const declared = tokensOfParts(system.parts) + (tools.length === 0 ? 0 : tokensOfValue(tools));
    return declared + replay.messageTokens();
  };
}
