import { isObject } from '#base/json.js';
import type { ContextEngine } from '../contract.js';
import { describeMistypedMethod, ENGINE_METHODS, findMistypedMethods, listAnswerNotes } from './results.js';

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
      for (const [subject, note] of listAnswerNotes(method, answer)) {
        const key = `${method} ${subject}`;
        if (notes.size < MOST_NOTES && !notes.has(key)) notes.set(key, note);
      }
      return answer;
    };
  }
  return Object.assign(Object.create(engine) as ContextEngine, own);
}
