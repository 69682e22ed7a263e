import { CtxError } from '#base/errors.js';
import type { CandidatesReport, CompletionReport } from '#cli/schemas.js';
import type { Io } from '#platform/io.js';
import type { Report } from '#ui/doc/define.js';
import { defineCommand } from '../define.js';
import { type Completion, completionOf } from './line.js';
import { scripts, type Shell } from './scripts.js';
import { commandLine, typedBack } from './shells.js';

const SHELLS = Object.keys(scripts) as readonly Shell[];

export default defineCommand({
  name: 'completion',
  summary: 'Complete command lines in a shell',
  description:
    'Prints a script that lets bash, zsh or fish complete what is typed behind "ctx": commands, flags and their ' +
    'values, sessions, and the entries and labels of the session that the line names. With words behind "--" it prints ' +
    'what can stand in the place of the last one, which is what the script asks for.',
  args: [
    { name: 'shell', help: SHELLS.join(', ') },
    { name: 'words', help: 'the words behind "ctx" as they are typed; for bash, the line itself', isMany: true },
  ],
  flags: {},
  examples: [
    'eval "$(ctx completion bash)"                     # in ~/.bashrc',
    'source <(ctx completion zsh)                      # in ~/.zshrc, behind compinit',
    'ctx completion fish | source                      # in ~/.config/fish/config.fish',
    "ctx completion zsh -- show session.jsonl --at ''",
  ],
  async run({ io, args: [shell, ...words] }) {
    const known = SHELLS.find((name) => name === shell);
    if (known === undefined)
      throw new CtxError(
        'usage',
        shell === undefined ? 'no shell is named' : `"${shell}" is not a shell that ctx knows`,
        {
          hint: `choose ${SHELLS.join(', ')}`,
        },
      );
    const typed = words.filter((word) => word !== undefined);
    const report = typed.length === 0 ? scriptReport(known) : await candidatesReport(io, known, typed);
    return { kind: 'report', report, problems: [] };
  },
});

function scriptReport(shell: Shell): Report {
  const data: CompletionReport = { schema: 'ctx/completion', schemaVersion: 1, shell, script: scripts[shell] };
  return { data, doc: () => [{ kind: 'whole', text: data.script.trimEnd() }] };
}

/** The last line says whether the shell is to look for files as well. */
async function candidatesReport(io: Io, shell: Shell, typed: readonly string[]): Promise<Report> {
  const line = commandLine(shell, typed, io.home);
  const found: Completion = await completionOf(io, line.words);
  const candidates = found.candidates.flatMap(({ value, about }) => {
    const word = typedBack(shell, value, line);
    return word === null ? [] : [{ word, about }];
  });
  const data: CandidatesReport = { schema: 'ctx/candidates', schemaVersion: 1, candidates, files: found.files };
  const lines = candidates.map(({ word, about }) => `${word}\t${about}`);
  return { data, doc: () => [...lines, `:${found.files}`].map((text) => ({ kind: 'whole', text })) };
}
