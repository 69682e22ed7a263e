import type { Command } from './define.js';
import show from './show/command.js';

/** Every command there is. The one that people use most is there at once, the others are loaded when they are asked for. */
const shelf: Readonly<Record<string, () => Promise<{ readonly default: Command }>>> = {
  show: () => Promise.resolve({ default: show }),
  tree: () => import('./tree/command.js'),
  log: () => import('./log/command.js'),
  grep: () => import('./grep/command.js'),
  cat: () => import('./cat.js'),
  ls: () => import('./ls/command.js'),
  explore: () => import('./explore.js'),
  diff: () => import('./diff/command.js'),
  cache: () => import('./cache/command.js'),
  loss: () => import('./loss/command.js'),
  ledger: () => import('./ledger/command.js'),
  stats: () => import('./stats/command.js'),
  check: () => import('./check/command.js'),
  apply: () => import('./apply/command.js'),
  compact: () => import('./compact/command.js'),
  prune: () => import('./prune/command.js'),
  status: () => import('./status/command.js'),
  gate: () => import('./gate/command.js'),
  assemble: () => import('./assemble/command.js'),
  restore: () => import('./restore.js'),
  hooks: () => import('./hooks/command.js'),
  simulate: () => import('./simulate/command.js'),
  engine: () => import('./engine/command.js'),
  migrate: () => import('./migrate/command.js'),
  extract: () => import('./extract/command.js'),
  redact: () => import('./redact/command.js'),
  report: () => import('./report/command.js'),
  export: () => import('./export/command.js'),
  query: () => import('./query/command.js'),
  completion: () => import('./completion/command.js'),
};

export const commandNames: readonly string[] = Object.keys(shelf);

/** The command of a name; all commands where there is none of that name. */
export async function loadCommands(name?: string): Promise<readonly Command[]> {
  const load = name === undefined ? undefined : Object.entries(shelf).find(([known]) => known === name)?.[1];
  const modules = load ? [load()] : Object.values(shelf).map((loadOne) => loadOne());
  return (await Promise.all(modules)).map((module) => module.default);
}
