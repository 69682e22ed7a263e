import { type FromGuest, LOADING, type ToGuest } from '../protocol.js';
import { Calls } from './calls.js';
import type { Served } from './define.js';
import { loadModule } from './load-module.js';
import { serveEngine } from './serve-engine.js';
import { serveHook } from './serve-hook.js';

/** Runs in a process of its own, with a user's module: does what the host says until the host goes. */
const send = process.send?.bind(process) ?? ((): boolean => false);
const calls = new Calls((message: FromGuest) => void send(message));
let served: Promise<Served> | null = null;

// The way to the host is not the module's: it answers by what its functions return.
Object.assign(process, { send: undefined, disconnect: undefined });
process.on('disconnect', end);
process.on('message', (message: ToGuest) => {
  switch (message.type) {
    case 'load': {
      const serve = message.kind === 'hook' ? serveHook : serveEngine;
      const loading = loadModule(message.file).then(serve);
      served = loading;
      return void calls.answer(LOADING, async () => ({ value: (await loading).loaded, changedInput: false }));
    }
    case 'call':
      return void calls.answer(message.id, async () => {
        if (served === null) throw new Error('nothing is loaded');
        return calls.run(await served, message);
      });
    case 'abort':
      return calls.abort(message.id);
    case 'told':
      return calls.told(message);
    case 'close':
      // What it has printed goes out first.
      // oxlint-disable-next-line unicorn/no-process-exit -- it is a program, and has nothing left to do
      return void process.stdout.write('', () => process.stderr.write('', () => process.exit()));
  }
});

/** The host has gone, so nobody else ends what the module has started. */
function end(): void {
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
  // oxlint-disable-next-line unicorn/no-process-exit -- it is a program
  process.exit();
}
