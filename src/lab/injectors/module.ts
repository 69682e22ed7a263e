import * as z from 'zod/mini';
import { CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import { describeUnknownKey } from '#base/suggestion.js';
import type { Plugin, StartPlugin } from '#platform/plugin.js';
import type { InjectorInput } from '../api.js';
import {
  defineBuiltinInjector,
  type Injector,
  type InjectorContent,
  type Placement,
  type Situation,
} from './define.js';

export interface InjectorModule {
  readonly name: string;
  /** The file, in TypeScript or JavaScript. */
  readonly file: string;
  readonly placement: Placement;
  readonly startPlugin: StartPlugin;
  /** Milliseconds that loading and each call may take. */
  readonly timeLimit: number;
  onLog(line: string): void;
}

/** Injectors of the user with code, each in its own process, which starts with the first request. */
export class InjectorModules {
  private readonly plugins: Promise<Plugin>[] = [];

  /** Defines an injector that asks a module for its text. Nothing is loaded before it is asked. */
  add(module: InjectorModule): Injector {
    const { name, file, placement, startPlugin, onLog, timeLimit } = module;
    let plugin: Promise<Plugin> | null = null;
    const start = (): Promise<Plugin> => {
      const started = startPlugin({ file, kind: 'injector', timeLimit, onLog });
      this.plugins.push(started);
      return started;
    };
    return defineBuiltinInjector({
      name,
      summary: 'A text that a module returns',
      ...placement,
      async inject(situation, { maxTokens }) {
        try {
          plugin ??= start();
          const input = toInput(situation, maxTokens);
          return readContent(await (await plugin).call('inject', [input], { timeLimit }));
        } catch (error) {
          const what = `the injector "${name}" (${file}) failed: ${(error as Error).message}`;
          throw new CtxError('input', what, { hint: 'correct the injector; nothing was written' });
        }
      },
    });
  }

  /** Ends their processes. */
  async close(): Promise<void> {
    const started = await Promise.allSettled(this.plugins);
    await Promise.all(started.flatMap((each) => (each.status === 'fulfilled' ? [each.value.close()] : [])));
  }
}

function toInput({ messages, parts, tools, observed, query }: Situation, maxTokens: number): InjectorInput {
  const { facts, todos, skills } = observed;
  return {
    messages,
    system: parts,
    tools,
    query,
    goal: facts.goal?.text ?? null,
    tasks: todos,
    skills: skills.map(({ name }) => name),
    maxTokens,
  };
}

const section = z.looseObject({ heading: z.optional(z.nullable(z.string())), text: z.string() });
const KEYS = Object.keys(section.shape);

function readContent(value: unknown): InjectorContent | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'string') return { kind: 'text', heading: null, text: value };
  const parsed = section.safeParse(value);
  if (!parsed.success) throw new CtxError('input', `it returned no text: ${findSectionFault(value, parsed.error)}`);
  const { heading = null, text } = parsed.data;
  return text === '' ? null : { kind: 'text', heading, text };
}

function findSectionFault(value: unknown, error: z.core.$ZodError): string {
  if (!isObject(value)) return 'the value must be string or object';
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  return unknown === undefined ? describeIssue(error) : `${describeIssue(error)}; ${describeUnknownKey(unknown, KEYS)}`;
}
