import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import type { Printable } from '#ui/doc/renderer.js';
import { defineCommand } from '../define.js';
import type { CandidatesDocument } from './document.js';
import { installCompletions } from './install.js';
import { completeLine } from './line.js';
import { buildScriptDocument, type Shell, SHELLS } from './scripts.js';
import { parseTypedLine, quoteCandidate } from './typed-line.js';

const SHELL_WORDS = [...SHELLS, 'install'];

export default defineCommand({
  name: 'completion',
  summary: 'Print a shell completion script',
  description:
    'Prints a script that completes ctx command lines in bash, zsh, fish or PowerShell: commands, flags and their ' +
    'values, sessions, and the entries and labels of the session on the line. With words after "--" it prints the completions ' +
    'of the last word, as the script requests them.',
  args: [
    { name: 'shell', help: SHELL_WORDS.join(', '), choices: SHELL_WORDS },
    { name: 'words', help: 'the words typed after "ctx"; for bash, the whole line', isMany: true },
  ],
  flags: {},
  examples: [
    'ctx completion install',
    'eval "$(ctx completion bash)"                     # in ~/.bashrc',
    'source <(ctx completion zsh)                      # in ~/.zshrc, behind compinit',
    'ctx completion fish | source                      # in ~/.config/fish/config.fish',
    'ctx completion powershell | Out-String | Invoke-Expression   # in $PROFILE',
    "ctx completion zsh -- show session.jsonl ''",
  ],
  async run({ io, args: [shell, ...words] }) {
    if (shell === 'install') return { kind: 'single', item: await installCompletions(io, words[0]), problems: [] };
    const shellName = SHELLS.find((name) => name === shell);
    if (shellName === undefined) {
      const what = shell === undefined ? 'no shell given' : `unknown shell "${shell}"`;
      throw new CtxError('usage', what, { hint: `choose ${SHELLS.join(', ')}` });
    }
    const typed = words.filter((word) => word !== undefined);
    const printable = typed.length === 0 ? printScript(shellName) : await printCandidates(io, shellName, typed);
    return { kind: 'single', item: printable, problems: [] };
  },
});

function printScript(shell: Shell): Printable {
  const data = buildScriptDocument(shell);
  return { data, doc: () => [{ kind: 'whole', text: data.script.trimEnd() }] };
}

/** The completions of what was typed, one on each line. The last line tells the shell whether to complete files, too. */
async function printCandidates(io: Io, shell: Shell, typed: readonly string[]): Promise<Printable> {
  const current = parseTypedLine(shell, typed, io.home);
  const found = await completeLine(io, current.words);
  const candidates = found.candidates.flatMap(({ value, about }) => {
    const word = quoteCandidate(shell, value, current);
    return word === null ? [] : [{ word, about }];
  });
  const data: CandidatesDocument = { schema: 'ctx/candidates', schemaVersion: 1, candidates, files: found.files };
  const lines = candidates.map(({ word, about }) => `${word}\t${about}`);
  return { data, doc: () => [...lines, `:${found.files}`].map((text) => ({ kind: 'whole', text })) };
}
