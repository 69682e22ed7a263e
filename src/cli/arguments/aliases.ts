const ALIASES: Readonly<Record<string, string>> = { undo: 'revert', 'hooks run': 'hooks' };

/** Words that name no command, each with the command that is probably meant. */
export const COMMAND_SYNONYMS: Readonly<Record<string, string>> = {
  assemble: 'engine run',
  branch: 'extract',
  browse: 'explore',
  context: 'show',
  conversation: 'log --full',
  convert: 'export',
  cost: 'stats',
  costs: 'stats',
  fix: 'repair',
  fork: 'extract',
  gate: 'status --history',
  history: 'log',
  html: 'report',
  ledger: 'facts',
  lint: 'check',
  list: 'ls',
  price: 'stats',
  read: 'log --full',
  restore: 'revert',
  search: 'find',
  sessions: 'ls',
  share: 'report',
  shrink: 'prune',
  size: 'status',
  sql: 'query',
  summarize: 'compact',
  top: 'show --sort tokens',
  transcript: 'log --full',
  tui: 'explore',
  upgrade: 'migrate',
  usage: 'stats',
  validate: 'check',
  view: 'explore',
  why: 'cache',
};

/** Replaces another name of a command by its own. */
export function replaceAlias(argv: readonly string[]): readonly string[] {
  if (argv[0] === 'help') return ['help', ...replaceAlias(argv.slice(1))];
  for (const [alias, name] of Object.entries(ALIASES)) {
    const words = alias.split(' ');
    if (words.every((word, at) => word === argv[at])) return [name, ...argv.slice(words.length)];
  }
  return argv;
}
