import { isObject, type JsonObject } from '#base/json.js';
import { didYouMean, findNearest } from '#base/suggestion.js';
import { isKnownRole } from '#context/replay/unknown-entry.js';
import type { ContextEngine } from '../contract.js';
import { compaction, resultSchemas } from '../drive/engine-answers.js';
import { ENGINE_METHODS, type EngineMethod, findMistypedMethods } from '../drive/engine-methods.js';

/** An engine may answer something else at each request. */
const MOST_NOTES = 20;

/** Notes mistyped methods of an engine, and the parts of its answers that have no effect. */
export function watchMethods(engine: ContextEngine, notes: Map<string, string>): ContextEngine {
  // The check reports what is no engine.
  if (!isObject(engine)) return engine;
  const members = new Map<string, unknown>(Object.entries(engine));
  const methods = [...members].flatMap(([name, member]) => (typeof member === 'function' ? name : []));
  for (const name of findMistypedMethods(new Set(methods))) notes.set(name, describeMistypedMethod(name));
  const own: Record<string, unknown> = {};
  for (const method of ENGINE_METHODS) {
    const call: unknown = engine[method];
    if (typeof call !== 'function') continue;
    own[method] = async (params: unknown): Promise<unknown> => {
      const answer: unknown = await (call as (given: unknown) => unknown).call(engine, params);
      for (const { subject, note } of listAnswerNotes(method, answer)) {
        const key = `${method} ${subject}`;
        if (notes.size < MOST_NOTES && !notes.has(key)) notes.set(key, note);
      }
      return answer;
    };
  }
  return Object.assign(Object.create(engine) as ContextEngine, own);
}

function describeMistypedMethod(name: string): string {
  return `${name} is not a method of the contract: ${didYouMean(name, ENGINE_METHODS, 'it is not called')}`;
}

interface AnswerNote {
  /** The key or role that the note is about. */
  readonly subject: string;
  readonly note: string;
}

/** The keys of the answers; those of `assemble` that are not in its schema come from a whole assembly. */
const ANSWER_KEYS: Partial<Record<EngineMethod, readonly string[]>> = {
  bootstrap: Object.keys(resultSchemas.bootstrap.shape),
  maintain: Object.keys(resultSchemas.maintain.shape),
  assemble: [...Object.keys(resultSchemas.assemble.shape), 'system', 'tools'],
  compact: Object.keys(resultSchemas.compact.shape),
  callTool: Object.keys(resultSchemas.callTool.shape),
};

/** The parts of an allowed answer that have no effect. */
function listAnswerNotes(method: EngineMethod, answer: unknown): readonly AnswerNote[] {
  if (!isObject(answer)) return [];
  const mistyped = listMistypedKeys(method, answer, ANSWER_KEYS[method] ?? []);
  const { result, messages } = answer;
  if (method === 'compact' && isObject(result))
    return [...mistyped, ...listMistypedKeys(method, result, Object.keys(compaction.shape))];
  if (method === 'assemble' && Array.isArray(messages)) return [...mistyped, ...listUnknownRole(messages)];
  return mistyped;
}

function listMistypedKeys(
  method: EngineMethod,
  answer: JsonObject,
  contractKeys: readonly string[],
): readonly AnswerNote[] {
  const missing = contractKeys.filter((key) => !(key in answer));
  return Object.keys(answer).flatMap((key) => {
    const near = contractKeys.includes(key) ? null : findNearest(key, missing);
    if (near === null) return [];
    return [{ subject: key, note: `${method}: unknown key ${JSON.stringify(key)}: did you mean "${near}"?` }];
  });
}

/** The first message with a role that no provider is sent. */
function listUnknownRole(messages: readonly unknown[]): readonly AnswerNote[] {
  for (const [at, message] of messages.entries()) {
    if (!isObject(message) || typeof message.role !== 'string' || isKnownRole(message.role)) continue;
    const role = JSON.stringify(message.role);
    return [{ subject: role, note: `assemble: message ${at + 1} has the unknown role ${role}, so it is not sent` }];
  }
  return [];
}
