import { CtxError } from '#base/errors.js';
import { quotedWords, unquoted, visible } from '#base/visible.js';
import type { JsonOf } from '#cli/schemas.js';
import type { Io } from '#platform/io.js';
import { type Report } from '#ui/doc/doc.js';
import { defineCommand } from '../define.js';
import { type Completion, completionOf } from './line.js';
import { scripts, type Shell } from './scripts.js';

const SHELLS = Object.keys(scripts) as readonly Shell[];

export default defineCommand({
  name: 'completion',
  summary: 'Print a shell completion script',
  description:
    'Prints a script that completes ctx command lines in bash, zsh, fish or PowerShell: commands, flags and their ' +
    'values, sessions, and the entries and labels of the session on the line. With words after "--" it prints the completions ' +
    'of the last word, as the script requests them.',
  args: [
    { name: 'shell', help: SHELLS.join(', ') },
    { name: 'words', help: 'the words typed after "ctx"; for bash, the whole line', isMany: true },
  ],
  flags: {},
  examples: [
    'eval "$(ctx completion bash)"                     # in ~/.bashrc',
    'source <(ctx completion zsh)                      # in ~/.zshrc, behind compinit',
    'ctx completion fish | source                      # in ~/.config/fish/config.fish',
    'ctx completion powershell | Out-String | Invoke-Expression   # in $PROFILE',
    "ctx completion zsh -- show session.jsonl --at ''",
  ],
  async run({ io, args: [shell, ...words] }) {
    const known = SHELLS.find((name) => name === shell);
    if (known === undefined)
      throw new CtxError('usage', shell === undefined ? 'no shell given' : `unknown shell "${shell}"`, {
        hint: `choose ${SHELLS.join(', ')}`,
      });
    const typed = words.filter((word) => word !== undefined);
    const report = typed.length === 0 ? scriptReport(known) : await candidatesReport(io, known, typed);
    return { kind: 'report', report, problems: [] };
  },
});

function scriptReport(shell: Shell): Report {
  const script = scripts[shell];
  const data: JsonOf<'completion'> = { schema: 'ctx/completion', schemaVersion: 1, shell, script };
  return { data, doc: () => [{ kind: 'whole', text: script.trimEnd() }] };
}

/** The last line tells the shell whether to complete files, too. */
async function candidatesReport(io: Io, shell: Shell, typed: readonly string[]): Promise<Report> {
  const current = commandLine(shell, typed, io.home);
  const found: Completion = await completionOf(io, current.words);
  const candidates = found.candidates.flatMap(({ value, about }) => {
    const word = typedBack(shell, value, current);
    return word === null ? [] : [{ word, about }];
  });
  const data: JsonOf<'candidates'> = { schema: 'ctx/candidates', schemaVersion: 1, candidates, files: found.files };
  const lines = candidates.map(({ word, about }) => `${word}\t${about}`);
  return { data, doc: () => [...lines, `:${found.files}`].map((text) => ({ kind: 'whole', text })) };
}

/** A line that is being typed. */
interface CommandLine {
  /** The arguments of the program as the shell would pass them; the last one is incomplete. */
  readonly words: readonly string[];
  /** The last word as typed, with its quotes. */
  readonly raw: string;
}

/** The line that a shell passes: bash passes the line itself, PowerShell its words after a `=`, the others its words. */
export function commandLine(shell: Shell, typed: readonly string[], home: string): CommandLine {
  const atHome = (word: string): string => word.replace(/^~(?=\/|$)/, home);
  if (shell === 'powershell') return { words: typed.map((word) => atHome(word.replace(/^=/, ''))), raw: '' };
  if (shell !== 'bash') return { words: typed.map(atHome), raw: typed.at(-1) ?? '' };
  const [, ...raw] = rawWords(typed.join(' '));
  return { words: raw.map((word) => atHome(unquoted(word))), raw: raw.at(-1) ?? '' };
}

/** The words of a line with their quotes; the last one is empty after a space. */
function rawWords(typed: string): readonly string[] {
  const words = quotedWords(typed);
  return /(?:^|[^\\])\s$/.test(typed) && !isOpen(words.at(-1) ?? '') ? [...words, ''] : words;
}

/** Whether a word has an open quote, so that it continues after spaces. */
function isOpen(word: string): boolean {
  return QUOTE.test(closed(word));
}

const QUOTE = /['"]/;

/** A word without its closed quotes. */
function closed(word: string): string {
  return word.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/g, '');
}

/**
 * A candidate as the shell inserts it. zsh and fish quote candidates themselves; for bash and PowerShell they are quoted
 * here. null: control characters, or a candidate that cannot be quoted inside the open quote.
 */
export function typedBack(shell: Shell, value: string, { raw }: CommandLine): string | null {
  if (visible(value) !== value || /[\t\n]/.test(value)) return null;
  if (shell === 'powershell') return PLAIN_POWERSHELL.test(value) ? value : `'${value.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
  if (shell !== 'bash') return value;
  if (isOpen(raw)) {
    // bash replaces only the text after the quote.
    const before = unquoted(raw.slice(0, raw.lastIndexOf(QUOTE.exec(closed(raw))?.[0] ?? '')));
    const rest = value.startsWith(before) ? value.slice(before.length) : value;
    return /['"\\$`!]/.test(rest) ? null : rest;
  }
  return PLAIN.test(value.replace(OWN_BRACES, '')) ? value : value.replaceAll(SPECIAL, String.raw`\$&`);
}

/** Braces mean something to a shell only around commas and dots. */
const OWN_BRACES = /@\{[a-z]+(?::-?\d+)?\}$/;
const PLAIN = /^(?:[\p{L}\p{N}_./@%+=:,^-][\p{L}\p{M}\p{N}_./@%+=:,^~-]*)?$/u;
const PLAIN_POWERSHELL = /^[\p{L}\p{N}_./\\-][\p{L}\p{M}\p{N}_./\\:+=~^%-]*$/u;
const SPECIAL = /[^\p{L}\p{M}\p{N}_./@%+=:,^-]/gu;
