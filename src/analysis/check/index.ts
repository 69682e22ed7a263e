import { type Group, GROUPS, type Rule } from './define.js';

/** All rules by group; the rules of a group are loaded on demand. */
const shelf: Readonly<Record<Group, () => Promise<{ readonly rules: readonly Rule[] }>>> = {
  file: () => import('./file/index.js'),
  tree: () => import('./tree/index.js'),
  schema: () => import('./schema/index.js'),
  context: () => import('./context/index.js'),
  provider: () => import('./provider/index.js'),
  cache: () => import('./cache/index.js'),
  policy: () => import('./policy/index.js'),
  secrets: () => import('./secrets.js'),
};

/** Loads the rules of some groups, by default of all, in the order of the documentation. */
export async function loadRules(groups: readonly Group[] = GROUPS): Promise<readonly Rule[]> {
  const modules = await Promise.all(GROUPS.filter((name) => groups.includes(name)).map((name) => shelf[name]()));
  return modules.flatMap(({ rules }) => rules);
}
