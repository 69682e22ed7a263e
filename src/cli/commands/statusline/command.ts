import { formatDay } from '#base/local-time.js';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import { readRunningSession, type RunningWorld } from '../../sessions/running-session.js';
import { defineCommand } from '../define.js';
import { positiveFlag } from '../flags.js';
import { readAgentInput } from '../guard/hook-input.js';
import { readClientStatus } from './client-status.js';
import { readSpending } from './spending.js';
import { describeStatus } from './view.js';

const FLAGS = {
  'compact-at': positiveFlag(
    'TOKENS',
    'the context at which the agent compacts (default: the size at which it last did so by itself in this session)',
  ),
};

/** The milliseconds after which the reading of the session ends. */
const READ_MILLISECONDS = 30;

export default defineCommand({
  name: 'statusline',
  summary: 'Print a status line for an agent: context, cache, cost',
  description:
    'A status line for Claude Code, which writes what it knows to the standard input: the context and how far it is from the ' +
    'next compaction, the share of prompts that was read from the cache, the last cache miss, and the cost of today. ' +
    'Values that are not recorded are left out. Changes nothing but the index of ctx.',
  args: [],
  flags: FLAGS,
  hasOneForm: true,
  examples: ['ctx statusline', 'ctx statusline --compact-at 167k'],
  async run({ io, flags }) {
    const line = await buildLine(io, flags['compact-at'] ?? null).catch((error: unknown) => {
      return `ctx: ${error instanceof Error ? error.message : String(error)}`;
    });
    const bytes = line === '' ? [] : [new TextEncoder().encode(`${toVisibleLine(line)}\n`)];
    return { kind: 'bytes', bytes, problems: [] };
  },
});

async function buildLine(io: Io, compactAt: number | null): Promise<string> {
  const client = readClientStatus(await readAgentInput(io));
  const now = io.now();
  const zone = io.timezone();
  const timezone = zone === 'UTC' ? null : zone;
  const world: RunningWorld = {
    files: io.files,
    now: io.now,
    index: await io.openIndex(),
    timezone,
    deadline: now + READ_MILLISECONDS,
  };
  const { transcript } = client;
  // A session has no file before its first prompt.
  const reading =
    transcript !== null && io.files.exists(transcript) ? await readRunningSession(world, transcript) : null;
  reading?.keep();
  const spending = transcript === null ? null : await readSpending(world, transcript, formatDay(now, timezone));
  return describeStatus({
    client,
    figures: reading?.isWhole ? reading.figures : null,
    context: reading?.figures.context ?? null,
    spending,
    compactAt,
    now,
  });
}
