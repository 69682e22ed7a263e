import { type Rule, RULE_GROUPS, type RuleDefinition, type RuleGroup } from './define.js';

/** All rules by group; the rules of a group are loaded on demand. */
const shelf: Readonly<Record<RuleGroup, () => Promise<{ readonly rules: readonly RuleDefinition[] }>>> = {
  file: () => import('./file.js'),
  tree: () => import('./tree.js'),
  schema: listed('schema'),
  context: listed('context'),
  // Exports load these alone.
  provider: async () => ({ rules: (await import('./built-requests.js')).provider }),
  cache: listed('cache'),
  policy: listed('policy'),
  secrets: () => import('./secrets.js'),
};

function listed(
  group: Exclude<RuleGroup, 'file' | 'tree' | 'provider' | 'secrets'>,
): () => Promise<{ readonly rules: readonly RuleDefinition[] }> {
  return async () => ({ rules: (await import('./rules.js'))[group] });
}

/** The rules of the groups that were loaded. They stay the same objects, by which a run knows that it has seen them. */
const loaded = new Map<RuleGroup, readonly Rule[]>();

/** Loads the rules of some groups, by default of all, in the order of the documentation. */
export async function loadRules(groups: readonly RuleGroup[] = RULE_GROUPS): Promise<readonly Rule[]> {
  const wanted = RULE_GROUPS.filter((name) => groups.includes(name));
  const all = await Promise.all(wanted.map((group) => loadGroup(group)));
  return all.flat();
}

async function loadGroup(group: RuleGroup): Promise<readonly Rule[]> {
  const { rules } = await shelf[group]();
  const known = loaded.get(group) ?? rules.map((rule) => ({ ...rule, group }));
  loaded.set(group, known);
  return known;
}
