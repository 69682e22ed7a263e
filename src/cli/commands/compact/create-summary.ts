import { CtxError } from '#base/errors.js';
import { toVisibleLine } from '#base/visible.js';
import type { SummarizerIo, SummaryTask, WrittenSummary } from '#change/compact/summarizers/define.js';
import { type summarizerFlags, summarizers } from '#change/compact/summarizers/index.js';
import { readTextFile } from '#cli/read-json.js';
import type { Io } from '#platform/io.js';
import { choiceFlag, type FlagValues } from '../flags.js';

const NAMES = summarizers.map(({ name }) => name);

export const summarizerFlag = choiceFlag(
  'NAME',
  NAMES,
  `where the summary comes from: ${NAMES.join(', ')}; the default is ${NAMES[0] ?? ''}, which needs no model`,
);

type SummaryFlags = Partial<FlagValues<typeof summarizerFlags>> & { readonly summarizer?: string | undefined };

/**
 * Creates the summary with the summariser that the flags name. `written`: the text of a file that was read before. Throws
 * a CtxError if that fails.
 */
export async function createSummary(
  io: Io,
  task: SummaryTask,
  flags: SummaryFlags,
  written?: string,
): Promise<WrittenSummary & { readonly origin: string }> {
  const name = flags.summarizer ?? findImpliedName(flags);
  if (name !== 'file' && flags.summary !== undefined) {
    throw new CtxError('usage', `--summary has no effect with --summarizer ${name}`, {
      hint: 'leave one of them out',
    });
  }
  const summarizer = summarizers.find((each) => each.name === name);
  if (!summarizer) throw new CtxError('usage', `there is no summariser ${name}`, { hint: NAMES.join(', ') });
  const summary = await io.untilInterrupted(async (signal) => {
    const line = createProgressLine(io);
    return summarizer
      .summarize(task, toSummarizerIo(io, { signal, progress: line.show, written }), flags)
      .finally(line.clear);
  });
  return { ...summary, origin: summarizer.origin };
}

/** A flag that only one of them has is enough to name it. */
function findImpliedName(flags: SummaryFlags): string | undefined {
  if (flags.summary !== undefined) return 'file';
  if (flags['summarizer-command'] !== undefined) return 'command';
  return flags.model === undefined ? NAMES[0] : 'model';
}

interface ProgressLine {
  show(status: string): void;
  clear(): void;
}

/** A line on the terminal that is overwritten in place. It is not printed to files, where every update would stay. */
function createProgressLine({ stderr }: Io): ProgressLine {
  let width = 0;
  const write = (text: string): void => void stderr.write(`\r${text.padEnd(width)}\r${text}`).catch(() => false);
  return {
    show(status) {
      if (!stderr.isTerminal) return;
      const text = toVisibleLine(status).slice(0, stderr.columns - 1);
      write(text);
      width = text.length;
    },
    clear() {
      if (width > 0) write('');
      width = 0;
    },
  };
}

function toSummarizerIo(
  { env, fetch, runProgram, files }: Io,
  { written, ...own }: Pick<SummarizerIo, 'signal' | 'progress'> & { readonly written: string | undefined },
): SummarizerIo {
  return { env, fetch, runProgram, readText: async (file) => written ?? readTextFile(files, file), ...own };
}
