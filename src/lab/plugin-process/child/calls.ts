import type { RecreatedArgument } from '#platform/plugin.js';
import { type FromPlugin, LOAD_ID, type ToPlugin } from '../protocol.js';
import { KeptValues } from '../values.js';
import { AnswerFailure, formatAnswer } from './answer.js';
import { describeThrown } from './describe-thrown.js';
import { findReplaced, isChangedJson, replaceAt, type ReplacedArgument } from './replaced-arguments.js';
import type { ServedModule } from './served-module.js';

type Send = (message: FromPlugin) => void;

type Call = Extract<ToPlugin, { readonly type: 'call' }>;

interface CallResult {
  readonly value: unknown;
  readonly changedInput: boolean;
}

type HostAnswer = Extract<ToPlugin, { readonly type: 'told' }>;

/** The calls of the host to a module, and the requests of the module to the host. */
export class PluginCalls {
  private readonly running = new Map<number, AbortController>();
  private readonly asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private readonly kept = new Map<string, () => unknown>();
  private readonly values = new KeptValues();
  private lastId = 0;

  constructor(private readonly send: Send) {}

  /** Answers with the result of `work`, also if it fails. */
  async answer(id: number, work: () => Promise<CallResult>): Promise<void> {
    try {
      const { value, changedInput } = await work();
      const { rest, sent } = this.values.omitCopies(value);
      this.send({ type: 'answer', id, text: formatAnswer(rest), sent, changedInput });
    } catch (error) {
      // The first call loads the module.
      const kindOfThrown = id === LOAD_ID ? 'not-loaded' : 'threw';
      const kind = error instanceof AnswerFailure ? error.kind : kindOfThrown;
      const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : null;
      this.send({ type: 'failed', id, kind, message: describeThrown(error), stack });
    }
  }

  /** Keeps values that the host refers to by their ids in later calls. */
  keep(values: Extract<ToPlugin, { readonly type: 'values' }>): void {
    this.values.keep(values);
  }

  /** Calls a method of the module, or a function of an earlier answer. */
  async run(served: ServedModule, call: Call): Promise<CallResult> {
    const { id, method, args, places, keeps, watchesInput } = call;
    const stop = new AbortController();
    this.running.set(id, stop);
    try {
      const act = this.kept.get(method) ?? served.method(method);
      if (!act) throw new Error(`it has no method ${method}`);
      const values = JSON.parse(args) as unknown[];
      const replaced = places.flatMap((place) => replaceAt(values, place.at, this.buildRecreate(place, stop.signal)));
      const value = this.keepParts(await act(...values), keeps);
      return { value, changedInput: watchesInput && this.isChanged(values, call, replaced) };
    } finally {
      this.running.delete(id);
    }
  }

  /** Whether a call changed its arguments. */
  private isChanged(values: unknown[], { args, places }: Call, replaced: readonly ReplacedArgument[]): boolean {
    const changesSent = places.some(
      (place) => place.kind === 'sent' && this.values.isChanged(findReplaced(replaced, place), place.ids),
    );
    return changesSent || isChangedJson(values, args, replaced);
  }

  /** Aborts the signal of a running call. */
  abort(id: number): void {
    this.running.get(id)?.abort(new Error('the call timed out or was cancelled'));
  }

  /** Passes the host's answer to the function of the module that asked. */
  settleAsked({ id, ok, text }: HostAnswer): void {
    const waiting = this.asked.get(id);
    this.asked.delete(id);
    const value: unknown = text === null ? undefined : JSON.parse(text);
    if (ok) waiting?.resolve(value);
    else waiting?.reject(new Error(String(value)));
  }

  /** Builds the function that creates an argument which JSON cannot carry. */
  private buildRecreate(place: RecreatedArgument, signal: AbortSignal): (before: unknown) => unknown {
    switch (place.kind) {
      case 'signal':
        return () => signal;
      case 'sent':
        return () => this.values.readCopies(place.ids);
      case 'set':
        return (before) => new Set(before as readonly unknown[]);
      case 'function':
        return () =>
          (...args: readonly unknown[]) =>
            this.ask(place.handler, args);
    }
  }

  /** Calls a function of the host. */
  private async ask(name: string, args: readonly unknown[]): Promise<unknown> {
    const text = formatAnswer(args) ?? '[]';
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.send({ type: 'ask', id, name, text });
    });
  }

  /** The answer with keys instead of the named functions in it, which the host calls by them. */
  private keepParts(answer: unknown, keeps: readonly string[]): unknown {
    if (keeps.length === 0 || typeof answer !== 'object' || answer === null) return answer;
    const named: Record<string, unknown> = { ...answer };
    for (const name of keeps) {
      // A class instance may inherit the member.
      const member = (answer as Readonly<Record<string, unknown>>)[name];
      if (typeof member !== 'function') continue;
      const key = `kept:${this.kept.size + 1}`;
      this.kept.set(key, () => (member as () => unknown).call(answer));
      named[name] = key;
    }
    return named;
  }
}
