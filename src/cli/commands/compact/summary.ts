import { CtxError } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import type { WrittenSummary, SummaryTask, SummaryWorld } from '#change/compact/summarizers/define.js';
import { summarizers, type summarizerFlags } from '#change/compact/summarizers/index.js';
import { readText } from '#cli/read-json.js';
import type { Io } from '#platform/io.js';
import { choice, type FlagValues } from '../flags.js';

const NAMES = summarizers.map(({ name }) => name);

/** The flag that names the source of the summary. */
export const summarizerFlag = choice(
  'NAME',
  NAMES,
  `where the summary comes from: ${NAMES.join(', ')}; the default is ${NAMES[0] ?? ''}, which needs no model`,
);

type SummaryFlags = Partial<FlagValues<typeof summarizerFlags>> & { readonly summarizer?: string | undefined };

/** Creates the summary with the summariser that the flags name. Throws a CtxError if that fails. */
export async function summaryFor(
  io: Io,
  task: SummaryTask,
  flags: SummaryFlags,
): Promise<WrittenSummary & { readonly by: string }> {
  const name = flags.summarizer ?? impliedBy(flags);
  if (name !== 'file' && flags.summary !== undefined) {
    throw new CtxError('usage', `--summary has no effect with --summarizer ${name}`, {
      hint: 'leave one of them out',
    });
  }
  const summarizer = summarizers.find((each) => each.name === name);
  if (!summarizer) throw new CtxError('usage', `there is no summariser ${name}`, { hint: NAMES.join(', ') });
  const summary = await io.untilInterrupted(async (signal) => {
    const line = progressLine(io);
    return summarizer.summarize(task, worldOf(io, signal, line.show), flags).finally(line.clear);
  });
  return { ...summary, by: summarizer.name };
}

/** A flag that only one of them has is enough to name it. */
function impliedBy(flags: SummaryFlags): string | undefined {
  if (flags.summary !== undefined) return 'file';
  if (flags['summarizer-command'] !== undefined) return 'command';
  return flags.model === undefined ? NAMES[0] : 'model';
}

interface ProgressLine {
  show(said: string): void;
  clear(): void;
}

/** A line on the terminal that is overwritten in place. It is not printed to files, where every update would stay. */
function progressLine({ stderr }: Io): ProgressLine {
  let width = 0;
  const write = (text: string): void => void stderr.write(`\r${text.padEnd(width)}\r${text}`).catch(() => false);
  return {
    show(said) {
      if (!stderr.isTerminal) return;
      const text = visibleLine(said).slice(0, stderr.columns - 1);
      write(text);
      width = text.length;
    },
    clear() {
      if (width > 0) write('');
      width = 0;
    },
  };
}

function worldOf(io: Io, signal: AbortSignal, progress: SummaryWorld['progress']): SummaryWorld {
  return {
    env: io.env,
    signal,
    fetch: io.fetch,
    runProgram: io.runProgram,
    readText: (file) => readText(io.files, file),
    progress,
  };
}
