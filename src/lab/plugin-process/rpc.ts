import type { ChildProcess } from 'node:child_process';
import type { RecreatedArgument } from '#platform/plugin.js';
import { PluginFailure } from './failure.js';
import { type FromPlugin, LOAD_ID, type ToPlugin } from './protocol.js';
import { SentValues } from './values.js';

interface RpcHost {
  readonly handlers: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  readonly signal: AbortSignal | undefined;
  /** Ends the plugin in any state. */
  end(): void;
  /** A call takes longer than most. */
  onSlow(): void;
}

interface Limits {
  /** The time limit in milliseconds. */
  readonly timeLimit: number;
  onChangedInput?(): void;
}

interface Waiting {
  resolve(value: unknown, changedInput: boolean): void;
  reject(failure: PluginFailure): void;
}

/** The time in milliseconds for a plugin to stop its current work. */
const GRACE = 1000;

/** The time in milliseconds within which most calls end. */
const SLOW = 200;

/** Milliseconds after the end of a plugin in which its last message is awaited. */
const LAST_MESSAGE = 1000;

/** Requests and answers between the host and a plugin: each request has one answer, or a failure. */
export class PluginRpc {
  isOver = false;
  private why = new PluginFailure('exited', 'the program has ended');
  /** The error that ended the plugin. */
  private uncaught: Extract<FromPlugin, { readonly type: 'uncaught' }> | null = null;
  private lastId = LOAD_ID - 1;
  private readonly waiting = new Map<number, Waiting>();
  private readonly values = new SentValues();

  constructor(
    private readonly child: ChildProcess,
    private readonly host: RpcHost,
  ) {
    child.on('message', (message) => this.receive(message));
    child.once('exit', (code, signal) => {
      const end = (): void => this.finish(describeEnding(code, signal, this.uncaught));
      if (!child.connected) return end();
      // The last message, which names the error, may still be on its way.
      child.once('disconnect', end);
      setTimeout(end, LAST_MESSAGE).unref();
    });
    child.once('error', (error) =>
      this.finish(new PluginFailure('not-loaded', `cannot start a process: ${error.message}`)),
    );
  }

  send(message: ToPlugin): void {
    // If it cannot be sent, the plugin has ended, which is reported elsewhere.
    if (this.child.connected) this.child.send(message, () => {});
  }

  /** The arguments of a call as JSON. Sends the values at `sentOnce` that the plugin does not have. */
  prepare(
    given: readonly unknown[],
    sentOnce: readonly RecreatedArgument['at'][],
  ): { readonly args: string; readonly remade: readonly RecreatedArgument[] } {
    const { message, ...call } = this.values.prepare(given, sentOnce, this.waiting.size === 0);
    if (message) this.send(message);
    return call;
  }

  /** The answer to a request. Rejects with a PluginFailure. */
  async ask(question: (id: number) => ToPlugin, { timeLimit, onChangedInput }: Limits): Promise<unknown> {
    const { signal } = this.host;
    if (this.isOver) throw this.why;
    if (signal?.aborted) throw buildCancelledFailure();
    this.lastId += 1;
    const id = this.lastId;
    const stop = (failure: PluginFailure): void => this.stop(id, failure);
    const timer = setTimeout(() => stop(describeTooLong(timeLimit)), timeLimit);
    const slow = setTimeout(() => this.host.onSlow(), SLOW);
    const cancel = (): void => stop(buildCancelledFailure());
    signal?.addEventListener('abort', cancel);
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.set(id, {
          reject,
          resolve(value, changedInput) {
            if (changedInput) onChangedInput?.();
            resolve(value);
          },
        });
        this.send(question(id));
      });
    } finally {
      clearTimeout(timer);
      clearTimeout(slow);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Asks the plugin to stop, and ends it if it does not. */
  private stop(id: number, failure: PluginFailure): void {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    const timer = setTimeout(() => {
      this.finish(failure);
      this.host.end();
    }, GRACE);
    const giveUp = (): void => {
      clearTimeout(timer);
      waiting.reject(failure);
    };
    // Later answers are ignored.
    this.waiting.set(id, { resolve: giveUp, reject: giveUp });
    this.send({ type: 'abort', id });
  }

  private finish(why: PluginFailure): void {
    if (this.isOver) return;
    this.isOver = true;
    this.why = why.kind === 'exited' ? why : new PluginFailure('exited', `the program was ended: ${why.message}`);
    for (const { reject } of this.waiting.values()) reject(why);
    this.waiting.clear();
  }

  /** Ignores messages of another form, and answers without a request. */
  private receive(value: unknown): void {
    const message = value as FromPlugin | null;
    switch (message?.type) {
      case 'ask':
        void this.tell(message);
        break;
      case 'uncaught':
        this.uncaught = message;
        break;
      default:
        if (message !== null) this.settle(message);
    }
  }

  /** Ends the request that a message answers. */
  private settle(message: Extract<FromPlugin, { readonly type: 'answer' | 'failed' }>): void {
    const waiting = this.waiting.get(message.id);
    if (!waiting) return;
    this.waiting.delete(message.id);
    if (message.type === 'failed') {
      waiting.reject(new PluginFailure(message.kind, message.message, message.stack));
      return;
    }
    try {
      const answer: unknown = message.text === null ? undefined : JSON.parse(message.text);
      waiting.resolve(this.values.restore(answer, message.sent), message.changedInput);
    } catch {
      waiting.reject(new PluginFailure('not-json', 'the answer is not JSON'));
    }
  }

  /** Answers a request of the plugin during a call. */
  private async tell({ id, name, text }: Extract<FromPlugin, { readonly type: 'ask' }>): Promise<void> {
    try {
      if (this.waiting.size === 0) throw new Error('requests are accepted only while a call is running');
      const handler = Object.hasOwn(this.host.handlers, name) ? this.host.handlers[name] : undefined;
      if (!handler) throw new Error(`unknown request ${name}`);
      const told = await handler(...(JSON.parse(text) as readonly unknown[]));
      this.send({ type: 'told', id, ok: true, text: told === undefined ? null : JSON.stringify(told) });
    } catch (error) {
      this.send({ type: 'told', id, ok: false, text: JSON.stringify((error as Error).message) });
    }
  }
}

function describeEnding(
  code: number | null,
  signal: NodeJS.Signals | null,
  uncaught: Extract<FromPlugin, { readonly type: 'uncaught' }> | null,
): PluginFailure {
  const how = signal === null ? `by itself, with exit code ${code}` : `by ${signal}`;
  const why = uncaught ? `: ${uncaught.message}` : '';
  return new PluginFailure('exited', `the program ended ${how}${why}`, uncaught?.stack ?? null);
}

function describeTooLong(timeLimit: number): PluginFailure {
  return new PluginFailure('timed-out', `it took longer than ${timeLimit / 1000} s`);
}

function buildCancelledFailure(): PluginFailure {
  return new PluginFailure('cancelled', 'it was interrupted');
}
