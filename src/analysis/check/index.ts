import { type Rule, RULE_GROUPS, type RuleDefinition, type RuleGroup } from './define.js';

/** All rules by group; the rules of a group are loaded on demand. */
const shelf: Readonly<Record<RuleGroup, () => Promise<{ readonly rules: readonly RuleDefinition[] }>>> = {
  file: () => import('./file/index.js'),
  tree: () => import('./tree/index.js'),
  schema: () => import('./schema/index.js'),
  context: () => import('./context/index.js'),
  provider: () => import('./provider/index.js'),
  cache: () => import('./cache/index.js'),
  policy: () => import('./policy/index.js'),
  secrets: () => import('./secrets/index.js'),
};

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
  const ofGroup = loaded.get(group) ?? rules.map((rule) => ({ ...rule, group }));
  loaded.set(group, ofGroup);
  return ofGroup;
}
