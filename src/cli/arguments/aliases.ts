const ALIASES: Readonly<Record<string, string>> = { undo: 'revert', import: 'convert', 'hooks run': 'hooks' };

/** Words that name no command, each with the commands that are probably meant. */
export const COMMAND_SYNONYMS: Readonly<Record<string, string | readonly string[]>> = {
  assemble: 'engine run',
  branch: 'extract',
  browse: 'explore',
  context: 'show',
  conversation: 'log --full',
  cost: 'stats',
  costs: 'stats',
  fix: 'repair',
  fork: 'extract',
  gate: 'status --history',
  handoff: 'convert',
  history: 'log',
  html: 'report',
  ledger: 'facts',
  lint: 'check',
  list: 'ls',
  price: 'stats',
  read: 'log --full',
  restore: 'revert',
  resume: 'convert',
  search: 'find',
  sessions: 'ls',
  share: ['report', 'convert'],
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
  forgot: 'why',
};

/** The question whether a command is meant by a word that names none; null if the word is not known. */
export function suggestCommand(word: string): string | null {
  const meant = Object.hasOwn(COMMAND_SYNONYMS, word) ? COMMAND_SYNONYMS[word] : undefined;
  return meant === undefined
    ? null
    : `did you mean ${[meant]
        .flat()
        .map((name) => `"${name}"`)
        .join(' or ')}?`;
}

/** Replaces another name of a command by its own. */
export function replaceAlias(argv: readonly string[]): readonly string[] {
  if (argv[0] === 'help') return ['help', ...replaceAlias(argv.slice(1))];
  for (const [alias, name] of Object.entries(ALIASES)) {
    const words = alias.split(' ');
    if (words.every((word, at) => word === argv[at])) return [name, ...argv.slice(words.length)];
  }
  return argv;
}
