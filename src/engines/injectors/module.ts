import * as z from 'zod/mini';
import { CtxError } from '#base/errors.js';
import { explain } from '#base/explain.js';
import type { Guest, StartGuest } from '#platform/plugin-process/guest.js';
import type { InjectorInput } from '../api.js';
import { type Content, defineInjector, type Injector, type Placement, type Situation } from './define.js';

export interface InjectorModule {
  readonly name: string;
  /** In TypeScript or JavaScript. */
  readonly file: string;
  readonly placement: Placement;
  readonly startGuest: StartGuest;
  /** Milliseconds that loading and each call may take. */
  readonly timeLimit: number;
  onLog(line: string): void;
}

/** Injectors of the user with code, each in its own process, which starts with the first request. */
export class InjectorModules {
  private readonly guests: Promise<Guest>[] = [];

  /** Defines an injector that asks a module for its text. Nothing is loaded before it is asked. */
  add(module: InjectorModule): Injector {
    const { name, file, placement, startGuest, onLog, timeLimit } = module;
    let guest: Promise<Guest> | null = null;
    const start = (): Promise<Guest> => {
      const started = startGuest({ file, kind: 'injector', timeLimit, onLog });
      this.guests.push(started);
      return started;
    };
    return defineInjector({
      name,
      summary: 'A text that a module returns',
      ...placement,
      async inject(situation, { maxTokens }) {
        try {
          guest ??= start();
          const input = inputOf(situation, maxTokens);
          return contentIn(await (await guest).call('inject', [input], { timeLimit }));
        } catch (error) {
          throw new Error(`the injector "${name}" (${file}) failed: ${(error as Error).message}`, { cause: error });
        }
      },
    });
  }

  /** Ends their processes. */
  async close(): Promise<void> {
    const started = await Promise.allSettled(this.guests);
    await Promise.all(started.flatMap((each) => (each.status === 'fulfilled' ? [each.value.close()] : [])));
  }
}

function inputOf({ messages, parts, tools, observed, query }: Situation, maxTokens: number): InjectorInput {
  const { ledger, todos, skills } = observed;
  return {
    messages,
    system: parts,
    tools,
    query,
    goal: ledger.goal?.text ?? null,
    tasks: todos,
    skills: skills.map(({ name }) => name),
    maxTokens,
  };
}

const answer = z.union([
  z.nullish(z.string()),
  z.looseObject({ heading: z.optional(z.nullable(z.string())), text: z.string() }),
]);

function contentIn(value: unknown): Content | null {
  const parsed = answer.safeParse(value);
  if (!parsed.success) throw new CtxError('input', `it returned no text: ${explain(parsed.error)}`);
  const { data } = parsed;
  if (data === null || data === undefined) return null;
  const { heading = null, text } = typeof data === 'string' ? { text: data } : data;
  return text === '' ? null : { kind: 'text', heading, text };
}
