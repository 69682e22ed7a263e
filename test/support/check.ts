import { checkSession } from '#analysis/check/check-session.js';
import type { Example, Rule } from '#analysis/check/define.js';
import { buildExampleFile } from '#analysis/check/example.js';
import type { Finding } from '#analysis/check/finding.js';
import { loadRules } from '#analysis/check/index.js';
import { openSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build-envelope.js';
import { nodeFiles } from '../../src/platform/files/node-files.js';

export interface Wanted extends EnvelopeOptions {
  /** Names of rules and groups; left out: every rule that is on. */
  readonly rules?: readonly string[];
  readonly requests?: 'leaf' | 'all';
  /** By rule, as its schema takes them. */
  readonly options?: Readonly<Record<string, unknown>>;
}

// Here, so that what defines the rules does not count as run by whichever test asks first.
const RULES = await loadRules();

/** What the rules find in a session, given as its lines or as the bytes of its file; in the order in which they run. */
export async function check(session: Example | Uint8Array, wanted: Wanted = {}): Promise<readonly Finding[]> {
  const { rules: names, requests = 'leaf', options = {}, ...envelope } = wanted;
  const rules = wantedRules(names);
  const findings: Finding[] = [];
  const bytes = session instanceof Uint8Array ? session : buildExampleFile(session);
  const opened = await openSession(bytes, nodeFiles, { withoutHeader: true });
  checkSession({
    session: opened,
    rules: rules.map((rule) => ({
      rule,
      severity: rule.severity ?? 'error',
      options: optionsOf(rule, options[rule.name]),
    })),
    requests,
    envelope,
    report: (finding) => void findings.push(finding),
  });
  return findings;
}

function wantedRules(names: readonly string[] | undefined): readonly Rule[] {
  if (!names) return RULES.filter(({ severity }) => severity !== null);
  const unknown = names.filter((wanted) => !RULES.some(({ name, group }) => wanted === name || wanted === group));
  if (unknown.length > 0) throw new Error(`no such rule: ${unknown.join(', ')}`);
  return RULES.filter(({ name, group }) => names.includes(name) || names.includes(group));
}

function optionsOf({ options }: Rule, given: unknown): unknown {
  return options?.parse(given ?? {});
}
