import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { didYouMean } from '#base/suggestion.js';
import { wrapText } from '#ui/doc/paragraphs.js';
import { commandGroups, commandNames, LAB_GROUP, listSubcommands, loadCommands } from '../commands/index.js';
import type { VersionDocument } from './document.js';
import { formatManPage } from './man.js';
import { formatTerms, HELP_COLUMNS } from './terms.js';
import { helpTopics, type TopicPiece } from './topics.js';
import { formatWordHelp, knownWords, suggestCommands, unrelatedWords } from './words.js';

/** The text for a command line that names no command. Throws a CtxError (usage) for one that asks for no text. */
export async function buildHelpText([first = 'help', ...words]: readonly string[], version: string): Promise<string> {
  if (first === 'help' && words.length > 0) return findHelpPage(words, version);
  if (HELP.has(first)) return buildOverview();
  if (VERSION.has(first)) return words.includes('--json') ? formatVersionJson(version) : `${version}\n`;
  if (listSubcommands(first).length > 0) return listSubcommandHelp(first, words[0] ?? 'help');
  if (first.startsWith('-')) throw new CtxError('usage', `unknown option '${first}'`, { hint: 'see ctx --help' });
  throw buildUnknownCommandError(first, words);
}

const HELP: ReadonlySet<string> = new Set(['help', '-h', '--help']);
const VERSION: ReadonlySet<string> = new Set(['-v', '-V', '--version']);

function formatVersionJson(version: string): string {
  const document: VersionDocument = { schema: 'ctx/version', schemaVersion: 1, version, node: process.versions.node };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function buildUnknownCommandError(name: string, words: readonly string[]): CtxError {
  const session = words.find((word) => !word.startsWith('-'));
  const hint = /[/\\]|\.jsonl$/.test(name)
    ? `did you mean ctx show ${toShellWord(name)}?`
    : (suggestCommands(name, session) ?? suggestName(name));
  return new CtxError('usage', `unknown command "${name}"`, { hint });
}

function suggestName(mistyped: string): string {
  const words = unrelatedWords.has(mistyped) ? [] : listWords();
  return didYouMean(mistyped, words, 'ctx --help lists the commands');
}

/** Words of a few letters are too near to one another to be meant by a mistyped one. */
const LONG_WORDS = knownWords.filter((word) => word.length > 4);

/** The first words of command lines. */
function listWords(): readonly string[] {
  return [...new Set(['help', ...commandNames.map((name) => name.replace(/ .*/, '')), ...LONG_WORDS])];
}

/**
 * The commands that begin with a word, such as `engine`. Throws a CtxError (usage) for a subcommand that it has not.
 */
async function listSubcommandHelp(word: string, subcommand: string): Promise<string> {
  const names = listSubcommands(word);
  if (HELP.has(subcommand))
    return [`Usage: ctx ${word} SUBCOMMAND`, '', ...(await listCommandLines(names)), ''].join('\n');
  const words = names.map((name) => name.slice(word.length + 1));
  throw new CtxError('usage', `unknown subcommand "${word} ${subcommand}"`, {
    hint: didYouMean(subcommand, words, `choose ${words.join(' or ')}`),
  });
}

async function buildOverview(): Promise<string> {
  const shown = commandGroups.filter(({ title }) => title !== LAB_GROUP);
  const groups = await Promise.all(
    shown.map(async ({ title, names }) => [`${title}:`, ...(await listCommandLines(names)), '']),
  );
  return [
    ...wrapText("See, compare and shrink what your coding agent's model saw. Like git, for context.", HELP_COLUMNS),
    '',
    'Usage: ctx COMMAND [flags]',
    '',
    ...formatTerms([['ctx', 'Show what fills the newest session of this folder']], WIDEST_NAME),
    '',
    ...groups.flat(),
    ...formatTerms(
      [
        ['ctx help lab', 'More commands: context engines, hooks, simulations, patches, facts'],
        ['ctx help TOPIC', `Topics: ${helpTopics.map(({ name }) => name).join(', ')}`],
        ['ctx CMD -h', 'The examples and flags that matter; --help: all of them'],
        ['ctx -C DIR CMD', 'Run in this folder'],
        ['ctx --version', 'Print the version'],
      ],
      WIDEST_NAME,
    ),
    '',
  ].join('\n');
}

const WIDEST_NAME = 14;

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
  const page = formatWordHelp(name);
  if (page !== null) return page;
  throw new CtxError('usage', `no help on "${words.join(' ')}"`, {
    hint: didYouMean(
      name,
      [...helpTopics.map((each) => each.name), 'topics', ...commandNames, ...LONG_WORDS],
      'ctx help topics lists the topics',
    ),
  });
}

function listTopics(): string {
  const lines = formatTerms(helpTopics.map(({ name, summary }) => [name, summary]));
  return ['Topics, for ctx help TOPIC:', ...lines, ''].join('\n');
}

function formatPiece(piece: TopicPiece): readonly string[] {
  if (typeof piece === 'string') return wrapText(piece, HELP_COLUMNS);
  return 'terms' in piece ? formatTerms(piece.terms) : piece.lines.map((line) => `  ${line}`);
}
