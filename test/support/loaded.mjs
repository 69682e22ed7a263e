// Appends the URL of each module that a process imports, and the name of each that it requires, to the file LOADED:
// `node --import test/support/loaded.mjs`.
import { appendFileSync } from 'node:fs';
import Module, { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Node's function that `require` calls. */
const LOAD = '_load';

if (isMainThread) {
  register(import.meta.url);
  const loadRequired = Module[LOAD];
  Module[LOAD] = function (name, ...others) {
    note(name);
    return loadRequired.call(this, name, ...others);
  };
}

/** A hook of Node's loader, which runs on a thread of its own. */
export function load(url, context, nextLoad) {
  note(url);
  return nextLoad(url, context);
}

function note(name) {
  appendFileSync(process.env.LOADED, `${name}\n`);
}
