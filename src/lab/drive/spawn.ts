import { parseTimestamp } from '#base/time.js';
import type { SessionBranch } from '#change/plan/copy-entries.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import type { SubagentEndReason } from '../contract.js';
import type { HostValues } from './host-values.js';

/** A subagent that a request starts. */
export interface Spawn {
  /** Counted from 1. */
  readonly request: number;
  readonly childSessionKey: string;
  readonly contextMode?: 'isolated' | 'fork';
  /** The end of the subagent; `failed`: it cannot be started, and its preparation is undone. */
  readonly ends: SubagentEndReason | 'failed';
  /** Milliseconds since 1970 (default: the end of the turn that starts it). */
  readonly endsAt?: number;
  /** The recorded session of the subagent; an invented subagent has none. */
  readonly child?: Child;
}

/** A recorded session of a subagent. */
interface Child extends Session {
  /** Entries that it shares with its parent. */
  readonly shared: readonly Head[];
  /** The other ones. */
  readonly own: readonly Head[];
  close(): void;
}

/**
 * The subagent that a recorded session is, which names another one as its parent. Without a message of its own, it was
 * never started. `ttlMs` after its header, the host sweeps it. The parent's end releases one that still runs.
 */
export function readSpawn(
  { session: parent, path }: SessionBranch,
  child: Session & { close(): void },
  { ttlMs = Infinity, cleanup = 'keep' }: HostValues = {},
): Spawn {
  const heads = activePath(child.tree);
  const shared = heads.filter(({ id }) => typeof id === 'string' && parent.tree.heads.has(id));
  const own = heads.filter((head) => !shared.includes(head));
  const started = parseTimestamp(child.header.timestamp);
  const ended = findEnd(child, own);
  const last = path.reduce((latest, { time }) => (time > latest ? time : latest), -Infinity);
  const endsAt = Math.min(started + ttlMs, ended);
  const isStarted = own.some(({ type }) => type === 'message');
  const findReason = (): Spawn['ends'] => {
    if (!isStarted) return 'failed';
    // A time that is not recorded is no end.
    const hasEnded = endsAt <= last;
    if (!hasEnded) return 'released';
    if (ended > started + ttlMs) return 'swept';
    return cleanup === 'delete' ? 'deleted' : 'completed';
  };
  return {
    request: Math.max(1, path.filter((head) => answersRequest(head) && head.time <= started).length),
    childSessionKey: child.header.id,
    contextMode: shared.length > 0 ? 'fork' : 'isolated',
    ends: findReason(),
    endsAt,
    child: { ...child, shared, own },
  };
}

/** The time of the answer that ended a run; Infinity: it has not ended. */
function findEnd(child: Session, own: readonly Head[]): number {
  const last = own.findLast(({ type }) => type === 'message');
  if (last?.role !== 'assistant') return Infinity;
  const { message } = child.entry(last) as { readonly message?: { readonly stopReason?: unknown } };
  return message?.stopReason === 'toolUse' ? Infinity : last.time;
}
