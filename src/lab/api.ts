/**
 * The interface for context engines: `pi-ctx/engine`. Types, a check of answers, and a function that only types an
 * engine.
 */

import type { Todo } from '#analysis/facts/todos.js';
import type { SystemPart, ToolDefinition } from '#context/replay/content.js';
import type { AgentMessage, ContextEngine } from './contract.js';

export type * from './contract.js';
export { findAnswerFault as whyNotAnAnswer } from './drive/engine-answers.js';

/** The input of an injector with code, at one request. */
export interface InjectorInput {
  /** The conversation so far. */
  readonly messages: readonly AgentMessage[];
  readonly system: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  /** The first request of the user for content that is cached, the newest one for other content. */
  readonly query: string;
  readonly goal: string | null;
  /** The last task list of the assistant. */
  readonly tasks: readonly Todo[];
  /** Names of the skills in use. */
  readonly skills: readonly string[];
  /** The budget: longer texts are cut. */
  readonly maxTokens: number;
}

/** A text with or without a heading; nothing: the injector adds nothing to this request. */
export type InjectorAnswer = string | { readonly heading?: string | null; readonly text: string } | null | undefined;

/** An injector with code: the default export of a module that the key `assembly` of a configuration names. */
export type InjectorCode = (input: InjectorInput) => InjectorAnswer | Promise<InjectorAnswer>;

/** Returns its argument: it gives the parameter of an injector its type. */
export function defineInjector(injector: InjectorCode): InjectorCode {
  return injector;
}

/** Returns its argument, typed. A module's default export is an engine or a function that makes one. */
export function defineEngine<Engine extends ContextEngine | (() => ContextEngine | Promise<ContextEngine>)>(
  engine: Engine,
): Engine {
  return engine;
}
