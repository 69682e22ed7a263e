import type { Candidate, FactState } from '#analysis/ledger/fact.js';
import { defineInjector, listed } from './define.js';

export default defineInjector({
  name: 'error-retention',
  summary: 'Recent failures and their outcome',
  help:
    'Failed tool calls, newest first. Each call is listed once with its outcome: whether the same call succeeded ' +
    'later, was not retried, or still fails.',
  phase: 'runtime',
  cache: 'dynamic',
  priority: 20,
  maxTokens: 300,
  top: 5,
  inject({ observed: { candidates }, style }, { top }) {
    const failures = [...failuresIn(candidates).values()].toReversed().slice(0, top);
    if (failures.length === 0) return null;
    const lines = failures.map(({ text, times, state }) => {
      const often = times > 1 ? ` (${times} times)` : '';
      return `${text}${often} → ${ENDS[state]}`;
    });
    return { kind: 'text', heading: 'Recent failures', text: listed(lines, style) };
  },
});

const ENDS: Readonly<Record<FactState, string>> = {
  open: 'still failing',
  done: 'succeeded later',
  gone: 'not retried',
};

interface Failure {
  readonly text: string;
  readonly times: number;
  readonly state: FactState;
}

/** By what was tried; the one that failed last is the last one. */
function failuresIn(candidates: readonly Candidate[]): ReadonlyMap<string, Failure> {
  const failures = new Map<string, Failure>();
  for (const { slot, key, text, state, source } of candidates) {
    if (slot !== 'blocker') continue;
    const known = failures.get(key);
    if (state === 'open' && source.kind === 'toolResult') {
      failures.delete(key);
      failures.set(key, { text, times: (known?.times ?? 0) + 1, state });
    } else if (known) failures.set(key, { ...known, state });
  }
  return failures;
}
