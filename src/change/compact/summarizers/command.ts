import { toOneLine, truncateText } from '#analysis/facts/text.js';
import { CtxError } from '#base/errors.js';
import { splitShellWords, unquoteShellWord } from '#base/shell.js';
import type { ProgramRun } from '#platform/processes.js';
import { defineSummarizer, type SummarizerIo } from './define.js';
import { buildPrompts, joinSummary, SYSTEM_PROMPT } from './prompts.js';

const SECONDS = 300;

export default defineSummarizer({
  name: 'command',
  summary: "Run a program with Pi's prompt on its standard input, and use its output as the summary",
  flags: {
    'summarizer-command': {
      placeholder: 'LINE',
      help: "program and arguments, such as 'llm -m MODEL' (run without a shell)",
      parse: (raw: string) => raw,
    },
    shell: { placeholder: null, help: 'run --summarizer-command in a shell', parse: () => true },
    'summarizer-timeout': {
      placeholder: 'SECONDS',
      help: `time limit for a summariser in seconds (default: ${SECONDS})`,
      parse: parseSeconds,
    },
  },
  async summarize(task, world, given) {
    const line = given['summarizer-command'];
    if (line === undefined) {
      throw new CtxError('usage', 'the summariser needs a command', {
        hint: "pass --summarizer-command 'PROGRAM ARGUMENTS'",
      });
    }
    const isForShell = given.shell ?? false;
    const program = isForShell ? ([line] as const) : splitCommandLine(line);
    const timeLimit = (given['summarizer-timeout'] ?? SECONDS) * 1000;
    const ask = (prompt: string | null): Promise<string | null> =>
      prompt === null ? Promise.resolve(null) : runSummarizer(world, { program, isForShell, timeLimit, prompt });
    const { history, prefix } = buildPrompts(task);
    // One after the other, as Pi does: many model servers answer one request at a time.
    const answers = { history: await ask(history), prefix: await ask(prefix) };
    return { text: joinSummary(task, answers) };
  },
});

function parseSeconds(raw: string): number {
  if (/^[1-9]\d{0,5}$/.test(raw)) return Number(raw);
  throw new CtxError('usage', `"${raw}" is not a number of seconds`, { hint: 'write a whole number, such as 60' });
}

interface Question {
  readonly program: readonly [string, ...string[]];
  readonly isForShell: boolean;
  readonly timeLimit: number;
  readonly prompt: string;
}

async function runSummarizer(
  world: SummarizerIo,
  { program, isForShell, timeLimit, prompt }: Question,
): Promise<string> {
  const [name] = program;
  world.progress(`${name} is summarising …`);
  const input = `${SYSTEM_PROMPT}\n\n${prompt}\n`;
  const run = await world.runProgram({ program, isForShell, input, timeLimit }, world.signal);
  const text = run.stdout.trim();
  if (run.failure === 'none' && run.exitCode === 0 && text !== '') return text;
  throw toFailure(run, name, timeLimit);
}

function toFailure({ failure, exitCode, stderr }: ProgramRun, name: string, timeLimit: number): CtxError {
  const what = {
    none: exitCode === 0 ? 'the summariser printed nothing' : `the summariser ended with exit code ${exitCode}`,
    'not-started': 'cannot start the summariser',
    'timed-out': `the summariser exceeded the time limit of ${timeLimit / 1000} s`,
    'too-long': 'the summariser printed too much',
    cancelled: 'the summariser was interrupted',
    killed: 'the summariser was killed',
  }[failure];
  const output = toOneLine(stderr.slice(-LONGEST_OUTPUT));
  const hint =
    failure === 'not-started' ? 'check the program name' : 'nothing was written; run the command by itself to debug it';
  return new CtxError('input', output === '' ? what : `${what}: ${truncateText(output, LONGEST_OUTPUT)}`, {
    where: name,
    hint,
  });
}

const LONGEST_OUTPUT = 300;

/** Throws a CtxError (usage) for an empty command line, or one with a quote that does not end. */
export function splitCommandLine(line: string): readonly [string, ...string[]] {
  const quoted = splitShellWords(line);
  const [first, ...others] = quoted.map(unquoteShellWord);
  if (first !== undefined && quoted.every((word) => CLOSED.test(word))) return [first, ...others];
  const what = first === undefined ? 'is empty' : 'has an unclosed quote';
  const hint = 'write it as \'program --flag "a b"\'';
  throw new CtxError('usage', `the summariser command ${what}`, { where: line, hint });
}

const CLOSED = /^(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+$/s;
