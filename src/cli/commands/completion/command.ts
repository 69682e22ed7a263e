import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { splitShellWords, unquoteShellWord } from '#base/shell.js';
import { toVisible } from '#base/visible.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import { defineCommand } from '../define.js';
import type { CandidatesDocument, CompletionDocument } from './document.js';
import { completeLine, type Completion } from './line.js';
import { completionScripts, type Shell } from './scripts.js';

const SHELLS = Object.keys(completionScripts) as readonly Shell[];

export default defineCommand({
  name: 'completion',
  summary: 'Print a shell completion script',
  description:
    'Prints a script that completes ctx command lines in bash, zsh, fish or PowerShell: commands, flags and their ' +
    'values, sessions, and the entries and labels of the session on the line. With words after "--" it prints the completions ' +
    'of the last word, as the script requests them.',
  args: [
    { name: 'shell', help: [...SHELLS, 'install'].join(', ') },
    { name: 'words', help: 'the words typed after "ctx"; for bash, the whole line', isMany: true },
  ],
  flags: {},
  examples: [
    'ctx completion install',
    'eval "$(ctx completion bash)"                     # in ~/.bashrc',
    'source <(ctx completion zsh)                      # in ~/.zshrc, behind compinit',
    'ctx completion fish | source                      # in ~/.config/fish/config.fish',
    'ctx completion powershell | Out-String | Invoke-Expression   # in $PROFILE',
    "ctx completion zsh -- show session.jsonl --at ''",
  ],
  async run({ io, args: [shell, ...words] }) {
    if (shell === 'install') return { kind: 'report', report: await installed(io, words[0]), problems: [] };
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

function scriptData(shell: Shell): CompletionDocument {
  return { schema: 'ctx/completion', schemaVersion: 1, shell, script: completionScripts[shell] };
}

function scriptReport(shell: Shell): Printable {
  const data = scriptData(shell);
  return { data, doc: () => [{ kind: 'whole', text: data.script.trimEnd() }] };
}

/** The last line tells the shell whether to complete files, too. */
async function candidatesReport(io: Io, shell: Shell, typed: readonly string[]): Promise<Printable> {
  const current = parseTypedLine(shell, typed, io.home);
  const found: Completion = await completeLine(io, current.words);
  const candidates = found.candidates.flatMap(({ value, about }) => {
    const word = quoteCandidate(shell, value, current);
    return word === null ? [] : [{ word, about }];
  });
  const data: CandidatesDocument = { schema: 'ctx/candidates', schemaVersion: 1, candidates, files: found.files };
  const lines = candidates.map(({ word, about }) => `${word}\t${about}`);
  return { data, doc: () => [...lines, `:${found.files}`].map((text) => ({ kind: 'whole', text })) };
}

interface CommandLine {
  /** The arguments of the program as the shell would pass them; the last one is incomplete. */
  readonly words: readonly string[];
  /** The last word as typed, with its quotes. */
  readonly raw: string;
}

/** The line that a shell passes: bash passes the line itself, PowerShell its words after a `=`, the others its words. */
export function parseTypedLine(shell: Shell, typed: readonly string[], home: string): CommandLine {
  const atHome = (word: string): string => word.replace(/^~(?=\/|$)/, home);
  if (shell === 'powershell') return { words: typed.map((word) => atHome(word.replace(/^=/, ''))), raw: '' };
  if (shell !== 'bash') return { words: typed.map(atHome), raw: typed.at(-1) ?? '' };
  const [, ...raw] = rawWords(typed.join(' '));
  return { words: raw.map((word) => atHome(unquoteShellWord(word))), raw: raw.at(-1) ?? '' };
}

/** The words of a line with their quotes; the last one is empty after a space. */
function rawWords(typed: string): readonly string[] {
  const words = splitShellWords(typed);
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
export function quoteCandidate(shell: Shell, value: string, { raw }: CommandLine): string | null {
  if (toVisible(value) !== value || /[\t\n]/.test(value)) return null;
  if (shell === 'powershell') return PLAIN_POWERSHELL.test(value) ? value : `'${value.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
  if (shell !== 'bash') return value;
  if (isOpen(raw)) {
    // bash replaces only the text after the quote.
    const before = unquoteShellWord(raw.slice(0, raw.lastIndexOf(QUOTE.exec(closed(raw))?.[0] ?? '')));
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

/**
 * Writes the completions of a shell, by default that of `$SHELL`, to the file that this shell loads. Throws a CtxError:
 * usage for another shell, refused for a file that ctx has not written.
 */
async function installed(io: Io, named: string | undefined): Promise<Printable> {
  const shell = shellNamed((named ?? path.basename(io.env['SHELL'] ?? '')).replace(/^pwsh$/, 'powershell'));
  const { file, hint } = placeFor(shell, io);
  const isThere = io.files.exists(file);
  if (isThere && !isOwn(io, file))
    throw new CtxError('refused', 'this file is not from ctx', {
      where: file,
      hint: `remove it, or load the completions yourself: ctx completion ${shell}`,
    });
  await io.files.makeFolder(path.dirname(file));
  await writeNewFile(io.files.createNew, file, completionScripts[shell], { force: isThere, like: null });
  const data: CompletionDocument = { ...scriptData(shell), file };
  return { data, doc: () => [line(`${shell} completions: ${file}`), line(span(hint, 'faint'))] };
}

function shellNamed(name: string): Shell {
  const found = SHELLS.find((shell) => shell === name);
  if (found !== undefined) return found;
  const what = name === '' ? 'the current shell is not known' : `there are no completions for "${name}"`;
  throw new CtxError('usage', what, { hint: `name one of ${SHELLS.join(', ')}: ctx completion install SHELL` });
}

/** The script that a shell loads, and the remaining step for the user. */
function placeFor(shell: Shell, { env, home }: Io): { readonly file: string; readonly hint: string } {
  const folderOf = (named: string | undefined, ...otherwise: string[]): string => {
    if (named !== undefined && path.isAbsolute(named)) return named;
    if (path.isAbsolute(home)) return path.join(home, ...otherwise);
    throw new CtxError('input', 'the home folder is not known', { where: '$HOME', hint: 'set HOME' });
  };
  switch (shell) {
    case 'bash': {
      const file = path.join(folderOf(env['XDG_DATA_HOME'], '.local/share'), 'bash-completion/completions/ctx');
      return { file, hint: 'start a new bash; this needs the package bash-completion' };
    }
    case 'zsh': {
      const file = path.join(folderOf(env['ZDOTDIR']), '.zfunc/_ctx');
      return { file, hint: `add to .zshrc, before compinit: fpath+=(${path.dirname(file)})` };
    }
    case 'fish': {
      const file = path.join(folderOf(env['XDG_CONFIG_HOME'], '.config'), 'fish/completions/ctx.fish');
      return { file, hint: 'start a new fish' };
    }
    case 'powershell': {
      const file = path.join(folderOf(env['XDG_CONFIG_HOME'], '.config'), 'powershell/ctx.completion.ps1');
      return { file, hint: `add to $PROFILE: . '${file.replaceAll("'", "''")}'` };
    }
  }
}

/** Recognises a script of ctx by its first two lines. */
function isOwn({ files }: Io, file: string): boolean {
  const beginning = new TextDecoder().decode(files.beginning(file, 200));
  return /^(?:#compdef ctx\n)?# (?:bash|zsh|fish|powershell) completion for ctx: /.test(beginning);
}
