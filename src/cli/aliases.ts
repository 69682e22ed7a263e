/** Former names of commands, each with the words that replace it. They keep working and print the new ones on stderr. */
const FORMER: Readonly<Record<string, string>> = {
  restore: 'revert',
  gate: 'status --history',
  assemble: 'engine run',
  ledger: 'facts',
  'check --fix': 'repair',
};

/** Other names of commands that are there to stay. */
const ALIASES: Readonly<Record<string, string>> = { undo: 'revert', 'hooks run': 'hooks' };

/** Words that name no command, each with the command that is probably meant. */
export const SYNONYMS: Readonly<Record<string, string>> = {
  branch: 'extract',
  browse: 'explore',
  convert: 'export',
  cost: 'stats',
  costs: 'stats',
  find: 'grep',
  fix: 'repair',
  fork: 'extract',
  history: 'log',
  html: 'report',
  lint: 'check',
  list: 'ls',
  price: 'stats',
  search: 'grep',
  shrink: 'prune',
  sql: 'query',
  summarize: 'compact',
  transcript: 'export',
  tui: 'explore',
  upgrade: 'migrate',
  usage: 'stats',
  validate: 'check',
  view: 'explore',
};

/** A command line in the current names. */
export interface CurrentLine {
  readonly argv: readonly string[];
  /** The former name and its replacement, for a line that was written with one. */
  readonly renamed: { readonly from: string; readonly to: string } | null;
}

/** Replaces a former or other name of a command by the current one. */
export function currentLine(argv: readonly string[]): CurrentLine {
  if (argv[0] === 'help') {
    const { argv: words, renamed } = currentLine(argv.slice(1));
    return { argv: ['help', ...words], renamed };
  }
  for (const [from, to] of Object.entries({ ...FORMER, ...ALIASES })) {
    const rest = without(argv, from);
    if (rest) return { argv: [...to.split(' '), ...rest], renamed: Object.hasOwn(FORMER, from) ? { from, to } : null };
  }
  return { argv, renamed: null };
}

/** The command line without the words of a name and without its flag; null if one of them is missing. */
function without(argv: readonly string[], name: string): readonly string[] | null {
  const words = name.split(' ').filter((word) => !word.startsWith('--'));
  if (!words.every((word, at) => word === argv[at])) return null;
  const [flag] = /--.*/.exec(name) ?? [];
  const rest = argv.slice(words.length);
  if (flag === undefined) return rest;
  const at = rest.indexOf(flag);
  return at < 0 ? null : rest.toSpliced(at, 1);
}

/** The former names of a command whose replacement flags the command has. */
export function formerNamesOf(command: string, flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(FORMER).flatMap(([from, to]) => {
    const [name, needed] = to.split(' --');
    return name === command && (needed === undefined || flags[needed] === true) ? [from] : [];
  });
}

/** Whether a name was one of a command. */
export function isFormerName(name: string): boolean {
  return Object.hasOwn(FORMER, name);
}
