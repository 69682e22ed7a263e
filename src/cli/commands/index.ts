import type { Command } from './define.js';
import show from './show/command.js';

type Load = () => Promise<{ readonly default: Command }>;

/** The group of the commands for experiments, which have a help topic of their own. */
export const LAB_GROUP = 'Lab';

/**
 * All commands, in the groups of the help, and in each group in the order of need. `show` is bundled in, the others are
 * loaded on demand.
 */
const shelf: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  Look: {
    show: () => Promise.resolve({ default: show }),
    ls: () => import('./ls/command.js'),
    log: () => import('./log/command.js'),
    find: () => import('./find/command.js'),
    grep: () => import('./grep/command.js'),
    cat: () => import('./cat/command.js'),
    diff: () => import('./diff/command.js'),
    tree: () => import('./tree/command.js'),
    explore: () => import('./explore.js'),
  },
  Understand: {
    status: () => import('./status/command.js'),
    stats: () => import('./stats/command.js'),
    overhead: () => import('./overhead/command.js'),
    cache: () => import('./cache/command.js'),
    loss: () => import('./loss/command.js'),
    why: () => import('./why/command.js'),
    query: () => import('./query/command.js'),
  },
  Act: {
    compact: () => import('./compact/command.js'),
    prune: () => import('./prune/command.js'),
    revert: () => import('./revert.js'),
    extract: () => import('./extract/command.js'),
    convert: () => import('./convert/command.js'),
  },
  Check: {
    doctor: () => import('./doctor/command.js'),
    repair: () => import('./repair/command.js'),
    check: () => import('./check/command.js'),
    migrate: () => import('./migrate/command.js'),
  },
  Share: {
    report: () => import('./report/command.js'),
    export: () => import('./export/command.js'),
    redact: () => import('./redact/command.js'),
    archive: () => import('./archive/command.js'),
    mcp: () => import('./mcp/command.js'),
    rpc: () => import('./rpc/command.js'),
  },
  'Set up': {
    statusline: () => import('./statusline/command.js'),
    'guard budget': () => import('./guard/budget.js'),
    'guard compaction': () => import('./guard/compaction.js'),
    completion: () => import('./completion/command.js'),
    trust: () => import('./trust/command.js'),
  },
  [LAB_GROUP]: {
    simulate: () => import('./simulate/command.js'),
    'engine run': () => import('./engine/run.js'),
    'engine check': () => import('./engine/check.js'),
    hooks: () => import('./hooks/command.js'),
    apply: () => import('./apply/command.js'),
    facts: () => import('./facts/command.js'),
  },
};

const loaders: Readonly<Record<string, Load>> = Object.assign({}, ...Object.values(shelf));

/** The name of a subcommand is two words. */
export const commandNames: readonly string[] = Object.keys(loaders);

export interface CommandGroup {
  readonly title: string;
  readonly names: readonly string[];
}

export const commandGroups: readonly CommandGroup[] = Object.entries(shelf).map(([title, commands]) => {
  return { title, names: Object.keys(commands) };
});

/**
 * The commands that an agent runs on its own. No configuration applies to them: one may come with the folder of the agent,
 * and then it would decide what a hook of the user does, or make it fail.
 */
export const commandsWithoutConfig: ReadonlySet<string> = new Set(['statusline', 'guard budget', 'guard compaction']);

/** The keys of `defaults` in a configuration: names of commands, and the words that subcommands share. */
export const configurableWords: readonly string[] = [
  ...new Set(commandNames.flatMap((name) => (commandsWithoutConfig.has(name) ? [] : [name, name.replace(/ .*/, '')]))),
];

/** The names of the commands that are subcommands of a word, such as `engine`. */
export function listSubcommands(word: string): readonly string[] {
  return commandNames.filter((name) => name.startsWith(`${word} `));
}

/** The command's name at the beginning of a command line, as a list that is empty without one. */
export function findCommandInArguments(argv: readonly string[]): readonly string[] {
  return commandNames.filter((name) => name.split(' ').every((word, at) => word === argv[at]));
}

/** The commands of these names; all commands without names. */
export async function loadCommands(names: readonly string[] = commandNames): Promise<readonly Command[]> {
  const modules = await Promise.all(names.flatMap((name) => loaders[name]?.() ?? []));
  return modules.map((module) => module.default);
}
