import type { Command } from './define.js';
import show from './show.js';

/** Every command there is. The one that people use most is there at once, the others are loaded when they are asked for. */
const shelf: Readonly<Record<string, () => Promise<{ readonly default: Command }>>> = {
  show: () => Promise.resolve({ default: show }),
  tree: () => import('./tree.js'),
  log: () => import('./log.js'),
  grep: () => import('./grep.js'),
  cat: () => import('./cat.js'),
  ls: () => import('./ls.js'),
  explore: () => import('./explore.js'),
  diff: () => import('./diff.js'),
  cache: () => import('./cache.js'),
  loss: () => import('./loss.js'),
  ledger: () => import('./ledger.js'),
  stats: () => import('./stats.js'),
  check: () => import('./check.js'),
  apply: () => import('./apply.js'),
  compact: () => import('./compact.js'),
  prune: () => import('./prune.js'),
  status: () => import('./status.js'),
  gate: () => import('./gate.js'),
  assemble: () => import('./assemble.js'),
  restore: () => import('./restore.js'),
  hooks: () => import('./hooks.js'),
  simulate: () => import('./simulate.js'),
  engine: () => import('./engine.js'),
  migrate: () => import('./migrate.js'),
  extract: () => import('./extract.js'),
  redact: () => import('./redact.js'),
  report: () => import('./report.js'),
  export: () => import('./export.js'),
  query: () => import('./query.js'),
  completion: () => import('./completion.js'),
};

export const commandNames: readonly string[] = Object.keys(shelf);

/** The command of a name; all commands where there is none of that name. */
export async function loadCommands(name?: string): Promise<readonly Command[]> {
  const load = name === undefined ? undefined : Object.entries(shelf).find(([known]) => known === name)?.[1];
  const modules = load ? [load()] : Object.values(shelf).map((loadOne) => loadOne());
  return (await Promise.all(modules)).map((module) => module.default);
}
