import { cut, oneLine } from '#analysis/facts/text.js';
import { CtxError } from '#base/errors.js';
import type { ProgramRun } from '#platform/processes.js';
import { defineSummarizer, type SummaryWorld } from './define.js';
import { joined, promptsFor, SYSTEM_PROMPT } from './prompts.js';

const SECONDS = 300;

export const command = defineSummarizer({
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
      parse: seconds,
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
    const program = isForShell ? ([line] as const) : wordsOf(line);
    const timeLimit = (given['summarizer-timeout'] ?? SECONDS) * 1000;
    const ask = (prompt: string | null): Promise<string | null> =>
      prompt === null ? Promise.resolve(null) : answerOf(world, { program, isForShell, timeLimit, prompt });
    const { history, prefix } = promptsFor(task);
    // One after the other, as Pi does: many model servers answer one request at a time.
    const answers = { history: await ask(history), prefix: await ask(prefix) };
    return { text: joined(task, answers) };
  },
});

function seconds(raw: string): number {
  if (/^[1-9]\d{0,5}$/.test(raw)) return Number(raw);
  throw new CtxError('usage', `"${raw}" is not a number of seconds`, { hint: 'write a whole number, such as 60' });
}

interface Question {
  readonly program: readonly [string, ...string[]];
  readonly isForShell: boolean;
  readonly timeLimit: number;
  readonly prompt: string;
}

async function answerOf(world: SummaryWorld, { program, isForShell, timeLimit, prompt }: Question): Promise<string> {
  const [name] = program;
  world.progress(`${name} is summarising …`);
  const input = `${SYSTEM_PROMPT}\n\n${prompt}\n`;
  const run = await world.runProgram({ program, isForShell, input, timeLimit }, world.signal);
  const text = run.stdout.trim();
  if (run.failure === 'none' && run.exitCode === 0 && text !== '') return text;
  throw failed(run, name, timeLimit);
}

function failed({ failure, exitCode, stderr }: ProgramRun, name: string, timeLimit: number): CtxError {
  const what = {
    none: exitCode === 0 ? 'the summariser printed nothing' : `the summariser ended with exit code ${exitCode}`,
    'not-started': 'cannot start the summariser',
    'timed-out': `the summariser exceeded the time limit of ${timeLimit / 1000} s`,
    'too-long': 'the summariser printed too much',
    cancelled: 'the summariser was interrupted',
    killed: 'the summariser was killed',
  }[failure];
  const said = oneLine(stderr.slice(-LONGEST_SAID));
  const hint =
    failure === 'not-started' ? 'check the program name' : 'nothing was written; run the command by itself to debug it';
  return new CtxError('input', said === '' ? what : `${what}: ${cut(said, LONGEST_SAID)}`, { where: name, hint });
}

const LONGEST_SAID = 300;

/**
 * The words of a command line: blanks part them, quotes and backslashes join them, and nothing else means anything.
 * Throws a CtxError (usage) for an empty one, or one with a quote that does not end.
 */
export function wordsOf(line: string): readonly [string, ...string[]] {
  const words: string[] = [];
  const rest = line.trimStart();
  const pattern = /\s*((?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\])+)(?=\s|$)/y;
  let end = 0;
  for (let match = pattern.exec(rest); match; match = pattern.exec(rest)) {
    words.push(unquoted(match[1] ?? ''));
    end = pattern.lastIndex;
  }
  const [first, ...others] = words;
  if (first === undefined || rest.slice(end).trim() !== '') {
    throw new CtxError(
      'usage',
      first === undefined ? 'the summariser command is empty' : 'the summariser command has an unclosed quote',
      {
        where: line,
        hint: 'write it as \'program --flag "a b"\'',
      },
    );
  }
  return [first, ...others];
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g,
    (_, single?: string, double?: string, one?: string) => {
      if (single !== undefined) return single;
      return double === undefined ? (one ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1');
    },
  );
}

export const file = defineSummarizer({
  name: 'file',
  summary: 'Use a written summary as it is',
  flags: {
    summary: {
      placeholder: 'FILE',
      help: 'file with the summary, - for standard input',
      parse: (raw: string) => raw,
    },
  },
  async summarize(_task, world, { summary: from }) {
    if (from === undefined) throw new CtxError('usage', 'the summariser needs a file', { hint: 'pass --summary FILE' });
    const text = (await world.readText(from)).trim();
    if (text !== '') return { text };
    throw new CtxError('input', 'the summary is empty', {
      where: from,
      hint: 'write the facts that the model should keep',
    });
  },
});
