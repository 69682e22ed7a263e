import { toLlm } from '../context/convert.js';
import type { Head } from '../session/head.js';
import { objectsIn } from '../session/values.js';
import { categoryOf } from '../stats/ledger.js';
import type { RequestSource } from './request-source.js';

/** The messages that an entry logged for one request alone, by their numbers. */
export function loggedMessages({ session, pool, mostOf }: RequestSource, logged: Head): readonly number[] {
  const messages = objectsIn(session.entry(logged)['messages']).flatMap((message) => toLlm(message) ?? []);
  const most = mostOf(logged.length);
  return messages.map((message) =>
    pool.add({ entry: logged.index, origin: 'ephemeral', message, textIs: categoryOf(message.role), most }),
  );
}
