import { wrapText } from '#ui/doc/paragraphs.js';
import { type FlagHelp, formatUsage, listCommonFlags, listOwnFlags } from '../arguments/command-flags.js';
import type { Command } from '../commands/define.js';
import { helpTopics, type TopicPiece } from './topics.js';

/** The day of this version, which a manual page has to name. */
const DATE = '2026-11-21';

/** The manual page of the program, for man(1). */
export function formatManPage(commands: readonly Command[], version: string): string {
  const [any] = commands;
  const lines = [
    `.TH CTX 1 ${DATE} "pi-ctx ${version}" "User Commands"`,
    '.SH NAME',
    "ctx \\- see, compare and shrink what a coding agent's model saw",
    '.SH SYNOPSIS',
    '.B ctx',
    '.I command',
    '.RI [ arguments ]',
    '.RI [ flags ]',
    '.SH DESCRIPTION',
    ...formatParagraph(
      'Reads the session files of the Pi coding agent, and shows, checks and shrinks the context of the model. Commands that write only append, but for ctx migrate --in-place.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(formatCommand),
    '.SH FLAGS OF EVERY COMMAND',
    ...(any ? listCommonFlags({ ...any, flags: {}, placeholders: [], formats: [] }) : []).flatMap(formatFlag),
    ...helpTopics.flatMap(({ name, text }) => [`.SH ${TITLES[name] ?? name.toUpperCase()}`, ...formatPieces(text)]),
    '.SH SEE ALSO',
    '.BR git (1),',
    '.BR jq (1),',
    '.BR less (1)',
  ];
  return `${lines.join('\n')}\n`;
}

/** The names that readers of manual pages look for. */
const TITLES: Readonly<Record<string, string>> = { 'exit-codes': 'EXIT STATUS', config: 'CONFIGURATION' };

function formatCommand(command: Command): readonly string[] {
  const { summary, description, args, formats = [], placeholders, examples } = command;
  const more: readonly FlagHelp[] = [
    ...formats.map(({ name, summary: help }) => ({ name: `format ${name}`, placeholder: null, help })),
    ...(placeholders
      ? [
          {
            name: 'format',
            placeholder: 'TEMPLATE',
            help: `a line for each by a template of ${placeholders.map((name) => `{${name}}`).join(' ')}`,
          },
        ]
      : []),
  ];
  return [
    `.SS ${escape(formatUsage(command))}`,
    ...formatParagraph(`${summary}.`),
    '.PP',
    ...formatParagraph(description),
    ...args.flatMap(({ name, help }) => formatTerm(`.I ${escape(name)}`, help)),
    ...[...listOwnFlags(command), ...more].flatMap(formatFlag),
    '.PP',
    'Examples:',
    ...formatLiteral(examples),
  ];
}

function formatFlag({ name, short, placeholder, choices, help }: FlagHelp): readonly string[] {
  const written = `${short === undefined ? '' : `-${short}, `}--${name}`;
  const value = placeholder === null ? '' : ` " " "${escape(placeholder)}"`;
  return formatTerm(
    `.BI "${escape(written)}"${value}`,
    choices && choices.length > 0 ? `${help} (${choices.join(', ')})` : help,
  );
}

function formatTerm(term: string, meaning: string): readonly string[] {
  return ['.TP', term, ...formatParagraph(meaning)];
}

function formatPieces(pieces: readonly TopicPiece[]): readonly string[] {
  return pieces.flatMap((piece, at) => {
    if (typeof piece === 'string') return [...(at === 0 ? [] : ['.PP']), ...formatParagraph(piece)];
    if ('lines' in piece) return ['.PP', ...formatLiteral(piece.lines)];
    return piece.terms.flatMap(([term, meaning]) => formatTerm(`.B "${escape(term)}"`, meaning));
  });
}

function formatLiteral(lines: readonly string[]): readonly string[] {
  return ['.RS', '.nf', ...lines.map((line) => guardLine(escape(line))), '.fi', '.RE'];
}

/** Short, since escaping lengthens lines. */
const COLUMNS = 64;

function formatParagraph(text: string): readonly string[] {
  return wrapText(text, COLUMNS).map((line) => guardLine(escape(line)));
}

/** A dot or an apostrophe at the beginning would be a request to the typesetter. */
function guardLine(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

/** Writes a text for a typesetter: backslashes, plain hyphens, quotes, and accents that are meant as characters. */
function escape(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll('^', String.raw`\(ha`)
    .replaceAll('~', String.raw`\(ti`)
    .replaceAll("'", String.raw`\(aq`)
    .replaceAll('`', String.raw`\(ga`);
}
