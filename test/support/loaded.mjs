// Appends the URL of each module that a process loads to the file LOADED: `node --import test/support/loaded.mjs`.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

/** A hook of Node's loader, which runs on a thread of its own. */
export function load(url, context, nextLoad) {
  appendFileSync(process.env.LOADED, `${url}\n`);
  return nextLoad(url, context);
}
