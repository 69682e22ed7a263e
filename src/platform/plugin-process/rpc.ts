import type { ChildProcess } from 'node:child_process';
import { type FromGuest, GuestFailure, LOADING, type RemadeArgument, type ToGuest } from './protocol.js';
import { SentValues } from './values.js';

interface Around {
  readonly handlers: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  readonly signal: AbortSignal | undefined;
  /** Ends the guest in any state. */
  end(): void;
  /** A call takes longer than most. */
  onSlow(): void;
}

interface Limits {
  /** In milliseconds. */
  readonly timeLimit: number;
  onChangedInput?(): void;
}

interface Waiting {
  resolve(value: unknown, changedInput: boolean): void;
  reject(failure: GuestFailure): void;
}

/** The time in milliseconds for a guest to stop its current work. */
const GRACE = 1000;

/** The time in milliseconds within which most calls end. */
const SLOW = 200;

/** Milliseconds after the end of a guest in which its last message is awaited. */
const LAST_MESSAGE = 1000;

/** Requests and answers between the host and a guest: each request has one answer, or a failure. */
export class GuestRpc {
  isOver = false;
  private why = new GuestFailure('exited', 'the program has ended');
  /** The error that ended the guest. */
  private uncaught: Extract<FromGuest, { readonly type: 'uncaught' }> | null = null;
  private lastId = LOADING - 1;
  private readonly waiting = new Map<number, Waiting>();
  private readonly values = new SentValues();

  constructor(
    private readonly child: ChildProcess,
    private readonly around: Around,
  ) {
    child.on('message', (message) => this.receive(message));
    child.once('exit', (code, signal) => {
      const end = (): void => this.finish(ending(code, signal, this.uncaught));
      if (!child.connected) return end();
      // Its last message, which names the error, may still be on its way.
      child.once('disconnect', end);
      setTimeout(end, LAST_MESSAGE).unref();
    });
    child.once('error', (error) =>
      this.finish(new GuestFailure('not-loaded', `cannot start a process: ${error.message}`)),
    );
  }

  send(message: ToGuest): void {
    // If it cannot be sent, the guest has ended, which is reported elsewhere.
    if (this.child.connected) this.child.send(message, () => {});
  }

  /** The arguments of a call as JSON. Sends the values at `sentOnce` that the guest does not have. */
  prepare(
    given: readonly unknown[],
    sentOnce: readonly RemadeArgument['at'][],
  ): { readonly args: string; readonly remade: readonly RemadeArgument[] } {
    const { message, ...call } = this.values.prepare(given, sentOnce, this.waiting.size === 0);
    if (message) this.send(message);
    return call;
  }

  /** The answer to a request. Rejects with a GuestFailure. */
  async ask(question: (id: number) => ToGuest, { timeLimit, onChangedInput }: Limits): Promise<unknown> {
    const { signal } = this.around;
    if (this.isOver) throw this.why;
    if (signal?.aborted) throw cancelled();
    this.lastId += 1;
    const id = this.lastId;
    const stop = (failure: GuestFailure): void => this.stop(id, failure);
    const timer = setTimeout(() => stop(tooLong(timeLimit)), timeLimit);
    const slow = setTimeout(() => this.around.onSlow(), SLOW);
    const cancel = (): void => stop(cancelled());
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

  /** Asks the guest to stop, and ends it if it does not. */
  private stop(id: number, failure: GuestFailure): void {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    const timer = setTimeout(() => {
      this.finish(failure);
      this.around.end();
    }, GRACE);
    const giveUp = (): void => {
      clearTimeout(timer);
      waiting.reject(failure);
    };
    // Later answers are ignored.
    this.waiting.set(id, { resolve: giveUp, reject: giveUp });
    this.send({ type: 'abort', id });
  }

  private finish(why: GuestFailure): void {
    if (this.isOver) return;
    this.isOver = true;
    this.why = why.kind === 'exited' ? why : new GuestFailure('exited', `the program was ended: ${why.message}`);
    for (const { reject } of this.waiting.values()) reject(why);
    this.waiting.clear();
  }

  /** Ignores messages of another form, and answers without a request. */
  private receive(value: unknown): void {
    const message = value as FromGuest | null;
    if (message?.type === 'ask') return void this.tell(message);
    if (message?.type === 'uncaught') return void (this.uncaught = message);
    const waiting = this.waiting.get(message?.id ?? -1);
    if (!message || !waiting) return;
    this.waiting.delete(message.id);
    try {
      if (message.type === 'failed') waiting.reject(new GuestFailure(message.kind, message.message, message.stack));
      else {
        const answer: unknown = message.text === null ? undefined : JSON.parse(message.text);
        waiting.resolve(this.values.restore(answer, message.sent), message.changedInput);
      }
    } catch {
      waiting.reject(new GuestFailure('not-json', 'the answer is not JSON'));
    }
  }

  /** Answers a request of the guest during a call. */
  private async tell({ id, name, text }: Extract<FromGuest, { readonly type: 'ask' }>): Promise<void> {
    try {
      if (this.waiting.size === 0) throw new Error('requests are accepted only while a call is running');
      const handler = Object.hasOwn(this.around.handlers, name) ? this.around.handlers[name] : undefined;
      if (!handler) throw new Error(`unknown request ${name}`);
      const told = await handler(...(JSON.parse(text) as readonly unknown[]));
      this.send({ type: 'told', id, ok: true, text: told === undefined ? null : JSON.stringify(told) });
    } catch (error) {
      this.send({ type: 'told', id, ok: false, text: JSON.stringify((error as Error).message) });
    }
  }
}

function ending(
  code: number | null,
  signal: NodeJS.Signals | null,
  uncaught: Extract<FromGuest, { readonly type: 'uncaught' }> | null,
): GuestFailure {
  const how = signal === null ? `by itself, with exit code ${code}` : `by ${signal}`;
  const why = uncaught ? `: ${uncaught.message}` : '';
  return new GuestFailure('exited', `the program ended ${how}${why}`, uncaught?.stack ?? null);
}

function tooLong(timeLimit: number): GuestFailure {
  return new GuestFailure('timed-out', `it took longer than ${timeLimit / 1000} s`);
}

function cancelled(): GuestFailure {
  return new GuestFailure('cancelled', 'it was interrupted');
}
