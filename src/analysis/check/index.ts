import { type Group, GROUPS, type Rule, type RuleDefinition } from './define.js';

/** All rules by group; the rules of a group are loaded on demand. */
const shelf: Readonly<Record<Group, () => Promise<{ readonly rules: readonly RuleDefinition[] }>>> = {
  file: () => import('./file.js'),
  tree: () => import('./tree.js'),
  schema: () => import('./schema/index.js'),
  context: () => import('./context/index.js'),
  provider: () => import('./provider/index.js'),
  cache: () => import('./cache/index.js'),
  policy: () => import('./policy/index.js'),
  secrets: () => import('./secrets.js'),
};

/** Loads the rules of some groups, by default of all, in the order of the documentation. */
export async function loadRules(groups: readonly Group[] = GROUPS): Promise<readonly Rule[]> {
  const wanted = GROUPS.filter((name) => groups.includes(name));
  const loaded = await Promise.all(
    wanted.map(async (group) => (await shelf[group]()).rules.map((rule) => ({ ...rule, group }))),
  );
  return loaded.flat();
}
