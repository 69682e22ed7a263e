import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import { breakWork } from '../support/broken-work.js';
import { Random } from '../support/random.js';
import { isWhole } from '../support/runs.js';
import { generateWorkedClaudeCode } from '../support/worked-claude-code.js';
import { generateWorkedRollout } from '../support/worked-codex.js';
import { countCopiedOutcomes, writeCopiedOutcomes } from './copied-outcomes.js';
import { COMMAND_NAMES, differsItself, place, report, type Tried, tryCopy } from './copied-sessions.js';
import { type CopyingClient, startClaude, startCodex } from './copies.js';
import { findClaudeCode, findCodex } from './installed.js';

/**
 * One generated session is copied for each client, two where all is tried. A study copies more: `CTX_COPIES_FROM` names a
 * folder with recorded sessions, `CTX_COPIES` the number of generated ones, `CTX_COPIES_PER` the commands for each, and
 * `CTX_COPIES_REPORT` the file to which it appends what became of them. It prints the counts of all lines of that file, so a
 * study may run in parts: with `UPDATE=1`, they are written for the manual.
 * `CTX_COPIES_FIRST` is the first seed, `CTX_COPIES_BY` a list of commands, and `CTX_COPIES_AT_ONCE` the number of clients
 * that work side by side, since a client mostly waits for its own start.
 */
const { env } = process;
const GENERATED = Number(env['CTX_COPIES'] ?? (isWhole ? 2 : 1));
const COMMANDS_PER_SESSION = Number(env['CTX_COPIES_PER'] ?? 1);
const FIRST_SEED = Number(env['CTX_COPIES_FIRST'] ?? 0);
const AT_ONCE = Number(env['CTX_COPIES_AT_ONCE'] ?? 1);
const COMMANDS = env['CTX_COPIES_BY']?.split(',') ?? COMMAND_NAMES;

interface Source {
  readonly title: string;
  readonly agent: string;
  readonly text: string;
  readonly isRecorded: boolean;
}

type Start = () => Promise<CopyingClient>;

function startClaudeCode(version: string): Start | null {
  const program = findClaudeCode(version);
  return program === null ? null : () => startClaude(program, version);
}

const codex = findCodex('0.171.0');

const CLIENTS: readonly (readonly [title: string, agent: string, start: Start | null])[] = [
  ['Claude Code 2.1.237', 'claude-code', startClaudeCode('2.1.237')],
  ['Claude Code 2.1.290', 'claude-code', startClaudeCode('2.1.290')],
  ['Claude Code 2.1.332', 'claude-code', startClaudeCode('2.1.332')],
  ['Codex 0.171.0', 'codex', codex === null ? null : () => startCodex(codex)],
];

/** The recorded sessions of a folder. A file of a subagent is no session that a client resumes. */
async function listRecorded(folder: string | undefined): Promise<readonly Source[]> {
  if (folder === undefined) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const sources: Source[] = [];
  for (const name of names.toSorted()) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const session = await openSession(Buffer.from(text)).catch(() => null);
    const agent = session?.agent?.name ?? '';
    const isOpened = session?.agent?.isSubagent === false && session.tree.leaf !== null;
    if (isOpened) sources.push({ title: name, agent, text, isRecorded: true });
  }
  return sources;
}

function listGenerated(title: string, agent: string): readonly Source[] {
  const hasHooksOfTools = !title.endsWith('2.1.237');
  const generate = (seed: number): string =>
    agent === 'codex' ? generateWorkedRollout(seed, seed % 2 === 1) : generateWorkedClaudeCode(seed, hasHooksOfTools);
  return Array.from({ length: GENERATED }, (_, at) => {
    const seed = FIRST_SEED + at;
    return { title: `generated ${seed}`, agent, text: generate(seed), isRecorded: false };
  });
}

const recorded = await listRecorded(env['CTX_COPIES_FROM']);

describe.each(CLIENTS)('%s', (title, agent, start) => {
  if (start === null) console.warn(`left out: ${title} is not installed`);

  it.skipIf(start === null)(
    'goes on with copies of recorded and of generated sessions',
    async () => {
      const clients = await Promise.all(Array.from({ length: AT_ONCE }, start!));
      const found: string[] = [];
      // Each client begins with another command.
      const first = 2 * CLIENTS.findIndex(([each]) => each === title);
      const sources = [...listGenerated(title, agent), ...recorded].filter((source) => source.agent === agent);
      const left = sources.entries();
      const tryLeft = async (client: CopyingClient): Promise<void> => {
        for (const [at, source] of left) {
          for (let turn = 0; turn < COMMANDS_PER_SESSION; turn += 1) {
            const tried = await tryFirst(client, source, first + at * COMMANDS_PER_SESSION + turn);
            const outcome = `${tried.outcome}${tried.isRewound === true ? ', rewound' : ''}`;
            const line = `${title}: ${source.title}: ${tried.command}: ${outcome} ${tried.details.join(' | ')}`;
            if (env['CTX_COPIES_REPORT'] !== undefined) report(env['CTX_COPIES_REPORT'], line);
            if (tried.outcome === 'differs' || tried.outcome === 'refused') found.push(line);
          }
        }
      };
      try {
        await Promise.all(clients.map(tryLeft));
      } finally {
        await Promise.all(clients.map((client) => client.end()));
      }
      expect(found).toEqual([]);
    },
    3 * 3_600_000,
  );
});

afterAll(() => {
  const name = env['CTX_COPIES_REPORT'];
  if (name === undefined || !existsSync(name)) return;
  const lines = readFileSync(name, 'utf8');
  for (const [client, kinds] of Object.entries(countCopiedOutcomes(lines)))
    for (const [kind, outcomes] of Object.entries(kinds)) console.log(client, kind, JSON.stringify(outcomes));
  if (env['UPDATE'] === '1') writeCopiedOutcomes(lines);
});

/** Tries the first command from a number on that has something to change. */
async function tryFirst(client: CopyingClient, source: Source, number: number): Promise<Tried> {
  let tried: Tried = { command: '', outcome: 'none', details: [] };
  for (let next = 0; next < COMMANDS.length && tried.outcome === 'none'; next += 1) {
    const command = COMMANDS[(number + next) % COMMANDS.length] ?? '';
    const reminders = source.isRecorded ? 'some' : 'data';
    // Only a broken session is repaired.
    const isBroken = command === 'repair' && !source.isRecorded;
    const text = isBroken ? breakWork(source.text, new Random(number)).text : source.text;
    const file = await place(client, text);
    const attempt = (): Promise<Tried> => tryCopy(client, file, command, reminders);
    try {
      // On a busy machine a client may be silent for long.
      tried = await attempt().catch(attempt);
    } catch (error) {
      const details = [String(error)];
      const isOfOriginal = await differsItself(client, text, { details, reminders });
      tried = { command, outcome: isOfOriginal ? 'original' : 'differs', details };
    }
  }
  return tried;
}
