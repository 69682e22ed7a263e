import { countDamage, type Session } from '#session/session.js';
import type { SessionUsage } from './session-stats.js';

type SessionBasics = Pick<SessionUsage, 'file' | 'id' | 'cwd' | 'first' | 'last' | 'problems' | 'isUsagePartial'>;

export function readSessionBasics(session: Session): SessionBasics {
  const { file, header, agent } = session;
  const problems = countDamage(session);
  const isUsagePartial = agent?.parts.usage === 'approximate';
  return { file, id: header.id, cwd: header.cwd, ...findTimeSpan(session), problems, isUsagePartial };
}

/**
 * The earliest and the latest time of an entry in milliseconds since 1970; null if none has a time. Copied entries
 * count only if all were copied.
 */
export function findTimeSpan(session: Session): Pick<SessionUsage, 'first' | 'last'> {
  const own = measureSpan(session, (index) => (session.copiedFrom?.(index) ?? null) === null);
  return own.first === null ? measureSpan(session, () => true) : own;
}

function measureSpan(
  { tree: { heads } }: Session,
  isWanted: (index: number) => boolean,
): Pick<SessionUsage, 'first' | 'last'> {
  let first: number | null = null;
  let last: number | null = null;
  for (let index = 0; index < heads.length; index += 1) {
    const time = heads.timeAt(index);
    if (Number.isNaN(time) || !isWanted(index)) continue;
    first = Math.min(first ?? time, time);
    last = Math.max(last ?? time, time);
  }
  return { first, last };
}
