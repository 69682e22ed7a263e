import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { didYouMean } from '#base/suggestion.js';
import { wrapText } from '#ui/doc/paragraphs.js';
import { suggestCommand } from '../arguments/aliases.js';
import { commandGroups, commandNames, LAB_GROUP, listSubcommands, loadCommands } from '../commands/index.js';
import type { VersionDocument } from './document.js';
import { formatManPage } from './man.js';
import { helpTopics, type TopicPiece } from './topics.js';

/** The text for a command line that names no command. Throws a CtxError (usage) for one that asks for no text. */
export async function buildHelpText([first = 'help', ...words]: readonly string[], version: string): Promise<string> {
  if (first === 'help' && words.length > 0) return findHelpPage(words, version);
  if (HELP.has(first)) return buildOverview();
  if (VERSION.has(first)) return words.includes('--json') ? formatVersionJson(version) : `${version}\n`;
  if (listSubcommands(first).length > 0) return listSubcommandHelp(first, words[0] ?? 'help');
  if (first.startsWith('-')) throw new CtxError('usage', `unknown option '${first}'`, { hint: 'see ctx --help' });
  throw unknownCommandError(first);
}

const HELP: ReadonlySet<string> = new Set(['help', '-h', '--help']);
const VERSION: ReadonlySet<string> = new Set(['-v', '-V', '--version']);

function formatVersionJson(version: string): string {
  const document: VersionDocument = { schema: 'ctx/version', schemaVersion: 1, version, node: process.versions.node };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function unknownCommandError(name: string): CtxError {
  const words = [...new Set(['help', ...commandNames.map((known) => known.replace(/ .*/, ''))])];
  const hint = /[/\\]|\.jsonl$/.test(name)
    ? `did you mean ctx show ${toShellWord(name)}?`
    : (suggestCommand(name) ?? didYouMean(name, words, 'ctx --help lists the commands'));
  return new CtxError('usage', `unknown command "${name}"`, { hint });
}

/** The commands that begin with a word, such as `engine`. Throws a CtxError (usage) for a subcommand that it has not. */
async function listSubcommandHelp(word: string, subcommand: string): Promise<string> {
  const names = listSubcommands(word);
  if (HELP.has(subcommand))
    return [`Usage: ctx ${word} SUBCOMMAND`, '', ...(await listCommandLines(names)), ''].join('\n');
  const known = names.map((name) => name.slice(word.length + 1));
  throw new CtxError('usage', `unknown subcommand "${word} ${subcommand}"`, {
    hint: didYouMean(subcommand, known, `choose ${known.join(' or ')}`),
  });
}

async function buildOverview(): Promise<string> {
  const groups = await Promise.all(
    commandGroups
      .filter(({ title }) => title !== LAB_GROUP)
      .map(async ({ title, names }) => [title, ...(await listCommandLines(names))]),
  );
  groups.at(-1)?.push(...formatTerms([['help', 'Print help for a command or on a topic']], WIDEST_NAME));
  return [
    ...wrapText("See, compare and shrink what your coding agent's model saw. Like git, for context.", COLUMNS),
    '',
    'Usage: ctx COMMAND [flags]',
    '',
    ...groups.flatMap(([title, ...lines]) => [`${title}:`, ...lines, '']),
    'Flags:',
    ...formatTerms(
      [
        ['-h, --help', 'print help'],
        ['-V, --version', 'print the version'],
        ['-C DIR', 'run in this folder'],
      ],
      WIDEST_NAME,
    ),
    '',
    listTopics(),
  ].join('\n');
}

const WIDEST_NAME = 13;

async function listCommandLines(names: readonly string[]): Promise<readonly string[]> {
  const commands = await loadCommands(names);
  return formatTerms(
    commands.map(({ name, summary }) => [name, summary]),
    WIDEST_NAME,
  );
}

/** The page for the words after `ctx help` that name no command. Throws a CtxError (usage) for an unknown topic. */
async function findHelpPage(words: readonly string[], version: string): Promise<string> {
  const [first = ''] = words;
  if (first === '--man') return formatManPage(await loadCommands(), version);
  if (HELP.has(first)) return buildOverview();
  if (first === 'topics') return listTopics();
  if (listSubcommands(first).length > 0) return listSubcommandHelp(first, words[1] ?? 'help');
  // "exit codes" is a name too.
  const name = words.filter((word) => !word.startsWith('-')).join('-');
  const topic = helpTopics.find((each) => each.name === name);
  if (topic) {
    const pieces = topic.text.map(formatPiece);
    if (topic.name === 'lab')
      pieces.push(await listCommandLines(commandGroups.find(({ title }) => title === LAB_GROUP)?.names ?? []));
    return `${pieces.map((lines) => lines.join('\n')).join('\n\n')}\n`;
  }
  throw new CtxError('usage', `no help on "${words.join(' ')}"`, {
    hint:
      suggestCommand(name) ??
      didYouMean(
        name,
        [...helpTopics.map((each) => each.name), 'topics', ...commandNames],
        'ctx help topics lists the topics',
      ),
  });
}

function listTopics(): string {
  const lines = formatTerms(helpTopics.map(({ name, summary }) => [name, summary]));
  return ['Topics, for ctx help TOPIC:', ...lines, ''].join('\n');
}

const COLUMNS = 80;
const INDENT = '  ';
const WIDEST_TERM = 20;

function formatPiece(piece: TopicPiece): readonly string[] {
  if (typeof piece === 'string') return wrapText(piece, COLUMNS);
  return 'terms' in piece ? formatTerms(piece.terms) : piece.lines.map((line) => INDENT + line);
}

/** Terms in a column beside their meanings; a long term has its own line. */
function formatTerms(
  terms: readonly (readonly [string, string])[],
  width = Math.min(WIDEST_TERM, Math.max(...terms.map(([term]) => term.length))),
): readonly string[] {
  const margin = INDENT + ' '.repeat(width + INDENT.length);
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...others] = wrapText(meaning, COLUMNS - margin.length);
    const rest = others.map((line) => margin + line);
    return term.length > width
      ? [INDENT + term, margin + first, ...rest]
      : [INDENT + term.padEnd(width) + INDENT + first, ...rest];
  });
}
