import type { Command } from './define.js';

/** Every command there is, each loaded when it is asked for. */
const shelf: Readonly<Record<string, () => Promise<{ readonly default: Command }>>> = {
  cat: () => import('./cat.js'),
  grep: () => import('./grep.js'),
  log: () => import('./log.js'),
  ls: () => import('./ls.js'),
  show: () => import('./show.js'),
  tree: () => import('./tree.js'),
};

/** The command of a name; all commands where there is none of that name. */
export async function loadCommands(name?: string): Promise<readonly Command[]> {
  const load = name === undefined ? undefined : Object.entries(shelf).find(([known]) => known === name)?.[1];
  const modules = load ? [load()] : Object.values(shelf).map((loadOne) => loadOne());
  return (await Promise.all(modules)).map((module) => module.default);
}
