import { CtxError } from '#base/errors.js';
import { formatDay, formatHour } from '#base/local-time.js';
import type { Session } from '#session/session.js';
import { type Grouping, GROUPINGS } from './document.js';
import type { UsageRecord } from './usage-records.js';

/** The ways to tell apart the calls of sessions, together, and the time zone of their days; null is UTC. */
export interface CallGrouping {
  readonly by: readonly Grouping[];
  readonly timezone: string | null;
}

/** Tells the group of a call, by its time in milliseconds since 1970 and its line in the file. */
export type FindGroup = (call: Pick<UsageRecord, 'model' | 'source'>, time: number, line: number) => string;

/** Groupings that the sums of sessions answer alone. */
const SUMMED: ReadonlySet<Grouping> = new Set(['day', 'week', 'model', 'tool', 'project', 'session']);

/** Whether calls have to be told apart one by one. */
export function needsCalls(by: readonly Grouping[]): boolean {
  return by.length > 1 || by.some((one) => !SUMMED.has(one));
}

/** Reads `project,model` and the like. Throws a CtxError (usage) for an unknown name, or what cannot be joined. */
export function parseGroupings(raw: string): readonly Grouping[] {
  return raw.split(',').map((word) => {
    const found = GROUPINGS.find((name) => name === word.trim());
    if (found) return found;
    throw new CtxError('usage', `invalid value "${word}" for GROUP`, { hint: `choose from ${GROUPINGS.join(', ')}` });
  });
}

/** Throws a CtxError (usage) for groupings that have no common unit. */
export function assertJoinable(by: readonly Grouping[]): void {
  const twice = by.find((name, at) => by.indexOf(name) !== at);
  if (twice !== undefined)
    throw new CtxError('usage', `--by names ${twice} twice`, { hint: 'name each grouping once' });
  if (by.length < 2 || !by.includes('tool')) return;
  throw new CtxError('usage', '--by tool cannot be joined with others: a cost belongs to a request, not to a tool', {
    hint: `use --by tool alone, or --by ${by.filter((name) => name !== 'tool').join(',')}`,
  });
}

/** `subagent`: the kind of the session's subagent, or `main`. */
export function createGroupFinder(session: Session, subagent: string, { by, timezone }: CallGrouping): FindGroup {
  const { file, header, agent } = session;
  const find = (name: Grouping, { model, source }: Parameters<FindGroup>[0], time: number, line: number): string => {
    switch (name) {
      case 'hour':
        return formatHour(time, timezone);
      case 'day':
        return formatDay(time, timezone);
      case 'week':
        return findMonday(formatDay(time, timezone));
      case 'month':
        return formatDay(time, timezone).slice(0, 'YYYY-MM'.length);
      case 'model':
        return model;
      case 'project':
        return header.cwd ?? '';
      case 'session':
        return file;
      case 'agent':
        return agent?.name ?? 'pi';
      case 'branch':
        return agent?.branchAt?.(line) ?? '';
      case 'subagent':
        return source === 'subagents' ? ANY_SUBAGENT : subagent;
      case 'tool':
        return '';
    }
  };
  return (call, time, line) => joinKeys(by.map((name) => find(name, call, time, line)));
}

/** The name of a subagent of unknown kind. */
export const ANY_SUBAGENT = 'subagent';
export const NO_SUBAGENT = 'main';

const SEPARATOR = '\0';

function joinKeys(keys: readonly string[]): string {
  return keys.join(SEPARATOR);
}

export function splitKeys(key: string): readonly string[] {
  return key.split(SEPARATOR);
}

/** Returns the Monday of the week of a day. A text that is not a day is returned unchanged. */
export function findMonday(day: string): string {
  const at = Date.parse(day);
  if (Number.isNaN(at)) return day;
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - sinceMonday * 86_400_000).toISOString().slice(0, 10);
}
