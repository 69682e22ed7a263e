import { asObject, parseJson } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { Io } from '#platform/io.js';
import type { Retention } from '#session/agents/define.js';
import { AGENTS } from '#session/agents/index.js';

/** Milliseconds. */
const DAY = 86_400_000;
/** The days before a deletion in which it is announced. */
const DAYS_AHEAD = 7;

type World = Pick<Io, 'env' | 'home' | 'files' | 'now'>;

/** A session on disk: the name of its agent, if it is known, and the time of its last change. */
interface AgedSession {
  readonly agent: string | undefined;
  readonly modified: number;
}

/** A sentence for each agent that will delete some of these sessions within a week. */
export function announceCleanups(world: World, sessions: readonly AgedSession[]): readonly string[] {
  return AGENTS.flatMap(({ name, title, retention }) => {
    const own = sessions.filter(({ agent }) => agent === name);
    const text = retention && own.length > 0 ? announceCleanup(world, title, retention, own) : null;
    return text ?? [];
  });
}

/** A sentence about the sessions of one agent that it will delete soon; null for none. */
function announceCleanup(
  world: World,
  title: string,
  retention: Retention,
  sessions: readonly AgedSession[],
): string | null {
  const settings = retention.settings(world.env, world.home);
  const days = readDays(world, retention, settings);
  if (days === null) return null;
  const latest = world.now() - (days - DAYS_AHEAD) * DAY;
  const due = sessions.filter(({ modified }) => modified < latest).length;
  if (due === 0) return null;
  const what = due === 1 ? 'one of these sessions' : `${formatCount(due)} of these sessions`;
  const period = pluralize(Math.ceil(days), 'day');
  return `${title} deletes ${what} within a week, ${period} after the last change: keep copies with ctx archive, or set "${retention.key}" in ${settings}`;
}

/** The days of the user's settings; null for settings that cannot be read. */
function readDays({ files }: World, retention: Retention, settings: string): number | null {
  if (!files.exists(settings)) return retention.readDays({});
  const read = parseJson(new TextDecoder().decode(files.beginning(settings, LONGEST_SETTINGS)));
  return read === undefined ? null : retention.readDays(asObject(read));
}

/** The most bytes of a settings file that are read. */
const LONGEST_SETTINGS = 1 << 20;
