import { CtxError } from '#base/errors.js';
import { describeFailedRun, readProgramLine } from '#platform/program-line.js';
import { defineSummarizer, type SummarizerIo } from './define.js';
import { buildPrompts, joinSummary, SYSTEM_PROMPT } from './prompts.js';

const SECONDS = 300;

export default defineSummarizer({
  name: 'command',
  summary: "Run a program with Pi's prompt on its standard input, and use its output as the summary",
  origin: 'written by your program',
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
    const program = readProgramLine(line, isForShell, 'the summariser');
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
  const failure = describeFailedRun(run, 'the summariser', timeLimit);
  if (failure === null) return run.stdout.trim();
  const hint =
    run.failure === 'not-started'
      ? 'check the program name'
      : 'nothing was written; run the command by itself to debug it';
  throw new CtxError('input', failure, { where: name, hint });
}
