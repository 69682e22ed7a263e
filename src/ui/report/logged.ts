import { categoryOf } from '#analysis/stats/token-breakdown.js';
import { loggedIn } from '#context/replay/convert.js';
import type { Head } from '#session/table/head.js';
import type { RequestSource } from './request-source.js';

/** The messages that an entry logged for one request only, by number. */
export function loggedMessages({ session, pool, mostOf }: RequestSource, logged: Head): readonly number[] {
  const most = mostOf(logged.length);
  return loggedIn(session.entry(logged)).map((message) =>
    pool.add({ entry: logged.index, origin: 'ephemeral', message, textIs: categoryOf(message.role), most }),
  );
}
