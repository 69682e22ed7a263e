import { CLAUSES } from '../check/clauses.js';
import type { SimulatedEngine } from './document.js';
import type { Broken, Unsendable } from './follow.js';

/** Each rule that requests break, with the first of them. */
export function refusedBy(unsendable: readonly Unsendable[]): SimulatedEngine['refused'] {
  const rules = new Map<string, SimulatedEngine['refused'][number]>();
  for (const { request, faults } of unsendable)
    for (const [rule, { message }] of new Map(faults.toReversed().map((fault) => [fault.rule, fault]))) {
      const known = rules.get(rule) ?? { rule, requests: 0, first: request, message };
      rules.set(rule, { ...known, requests: known.requests + 1 });
    }
  return [...rules.values()];
}

/** Each sentence of the contract that was broken, with the first time. */
export function broken(breaches: readonly Broken[]): SimulatedEngine['breaches'] {
  const clauses = new Map<string, SimulatedEngine['breaches'][number]>();
  for (const { clause, message, request } of breaches) {
    const known = clauses.get(clause) ?? { clause, sentence: CLAUSES[clause], message, times: 0, request };
    clauses.set(clause, { ...known, times: known.times + 1 });
  }
  return [...clauses.values()];
}
