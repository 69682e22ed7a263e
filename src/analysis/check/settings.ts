import type { Severity } from '#base/errors.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { ActiveRule } from './check.js';
import { type Group, type Rule } from './define.js';
import { loadRules } from './index.js';

/** How sessions are checked, as plain data that a thread can be given. */
export interface Settings {
  /** The rules that are on. */
  readonly rules: readonly WantedRule[];
  readonly requests: 'leaf' | 'all';
  /** The model's context window in tokens. */
  readonly limit?: number | undefined;
  readonly configuredLimit?: number | undefined;
  /** What sessions do not record. */
  readonly baseline?: Baseline | undefined;
}

export interface WantedRule {
  readonly name: string;
  readonly group: Group;
  readonly severity: Severity;
  /** As the rule's schema has read them. */
  readonly options?: unknown;
}

/** The rules that settings name, loaded. */
export async function activeRules({ rules }: Settings): Promise<readonly ActiveRule[]> {
  const known = new Map<string, Rule>();
  for (const rule of await loadRules(rules.map(({ group }) => group))) known.set(rule.name, rule);
  return rules.flatMap(({ name, severity, options }) => {
    const rule = known.get(name);
    return rule ? [{ rule, severity, options: options as never }] : [];
  });
}
