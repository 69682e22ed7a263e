const ALIASES: Readonly<Record<string, string>> = { undo: 'revert', import: 'convert', 'hooks run': 'hooks' };

/** Replaces another name of a command by its own. */
export function replaceAlias(argv: readonly string[]): readonly string[] {
  if (argv[0] === 'help') return ['help', ...replaceAlias(argv.slice(1))];
  for (const [alias, name] of Object.entries(ALIASES)) {
    const words = alias.split(' ');
    if (words.every((word, at) => word === argv[at])) return [name, ...argv.slice(words.length)];
  }
  return argv;
}
