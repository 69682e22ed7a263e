import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';
import { tried } from '../support/runs.js';
import { generateWorkedClaudeCode } from '../support/worked-claude-code.js';
import { generateWorkedRollout } from '../support/worked-codex.js';
import { workingSession } from '../support/working-session.js';

const FILE = '/sessions/s.jsonl';

const SESSIONS: readonly (readonly [name: string, text: string])[] = [
  ...['weather.jsonl', 'to-summarise.jsonl', 'agents/claude-code/session.jsonl', 'agents/codex/rollout.jsonl'].map(
    (name) => [name, readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8')] as const,
  ),
  ['20 turns of Pi', workingSession({ seed: 3, turns: 20, summaries: true })],
  ['Claude Code', generateWorkedClaudeCode(5)],
  ['Codex', generateWorkedRollout(5)],
];

/** The largest ratio of the length of the JSON to that of the text with the same contents. */
const MOST = 4;

/** The characters that a document without results may have in addition. */
const EMPTY = 1000;

interface Measured {
  readonly command: string;
  /** The flags that add to the text what JSON always contains. */
  readonly text?: string;
  /** A larger ratio, where a smaller document would lack something. */
  readonly most?: number;
}

const COMMANDS: readonly Measured[] = [
  { command: `show ${FILE}`, text: '--full' },
  { command: `status ${FILE}` },
  { command: `stats ${FILE}` },
  { command: `overhead ${FILE}` },
  { command: `loss ${FILE}` },
  { command: `facts ${FILE}` },
  { command: `check ${FILE}`, text: '--severity note' },
  { command: `log ${FILE}` },
  // The times and places of entries, which the text leaves out.
  { command: `tree ${FILE}`, most: 5 },
  // Whole messages that came or went; the text has a line for each.
  { command: `diff ${FILE}`, text: '--full', most: 12 },
  // A line of JSON for each match; a text has one for all matches of a line.
  { command: `grep read ${FILE}`, most: 10 },
  // What each request was billed, and the entries between two of them.
  { command: `cache ${FILE}`, most: 6 },
  // The entries themselves, which `ctx apply` reads.
  { command: `compact ${FILE} --keep-recent 200 --dry-run`, most: 8 },
  // The entries too, and a decision for each message, where the text has a line for a run of them.
  { command: `prune ${FILE} --strategy turns,distill,dedupe,errors --recent-turns 2 --dry-run`, most: 10 },
  { command: `simulate ${FILE}`, text: '--full' },
  { command: `doctor ${FILE}` },
  { command: `why read ${FILE}` },
  { command: `cat ${FILE} HEAD` },
];

async function lengthOf(argv: readonly string[], text: string): Promise<number> {
  const { stdout, stderr, exitCode } = await ctx(argv, { files: { [FILE]: text }, columns: Infinity });
  expect({ argv, exitCode, stderr: exitCode > 1 ? stderr : '' }).toEqual({
    argv,
    exitCode: exitCode === 1 ? 1 : 0,
    stderr: '',
  });
  return stdout.length;
}

/** Where not all is tried, each command is tried with every second session. */
const measured = COMMANDS.map((one, nth) => ({ ...one, sessions: tried(SESSIONS, 2, nth) }));

describe.each(measured)('the JSON of ctx $command', ({ command, text: flags, most = MOST, sessions }) => {
  it.each(sessions)(`is at most ${most} times as long as its text: %s`, async (_name, session) => {
    const argv = command.split(' ');
    const text = await lengthOf([...argv, ...(flags ?? '').split(' ').filter(Boolean)], session);
    const json = await lengthOf([...argv, '--json'], session);
    expect(json).toBeLessThanOrEqual(most * text + EMPTY);
  });
});
