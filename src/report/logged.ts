import { loggedIn } from '../context/convert.js';
import type { Head } from '../session/head.js';
import { categoryOf } from '../stats/ledger.js';
import type { RequestSource } from './request-source.js';

/** The messages that an entry logged for one request alone, by their numbers. */
export function loggedMessages({ session, pool, mostOf }: RequestSource, logged: Head): readonly number[] {
  const most = mostOf(logged.length);
  return loggedIn(session.entry(logged)).map((message) =>
    pool.add({ entry: logged.index, origin: 'ephemeral', message, textIs: categoryOf(message.role), most }),
  );
}
