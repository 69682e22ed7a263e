import { expect, it } from 'vitest';
import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';
import { findMessageDifference } from '#change/copy/build-copy.js';
import { breakWork } from '../support/broken-work.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { generateRollout } from '../support/codex-rollouts.js';
import { openToCopy } from '../support/copying.js';
import { ctx, type Ran } from '../support/memory-io.js';
import { Random } from '../support/random.js';
import { isTried, runs } from '../support/runs.js';
import { generateWorkedClaudeCode } from '../support/worked-claude-code.js';
import { generateWorkedRollout } from '../support/worked-codex.js';

/** Where not all are tried, each has every second command, and the next one the others. */
const SESSIONS = runs(150, 4);

const ID = '258c7280-ae70-4798-800f-63464d01a85d';
const OF_CLAUDE = `/home/ada/.claude/projects/-work-app/${ID}.jsonl`;
const OF_CODEX = `/home/ada/.codex/sessions/2026/02/28/rollout-2026-02-28T10-00-00-${ID}.jsonl`;
const COPY = '/home/ada/copy.jsonl';
const PATCH = '/home/ada/patch.json';
const SUMMARY = '/home/ada/summary.txt';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A session, and the messages that `ctx show` reads from it. */
interface Given {
  readonly file: string;
  readonly files: Files;
  readonly messages: readonly JsonObject[];
  readonly random: Random;
}

/** A command line that writes a copy. */
interface Written {
  readonly words: readonly string[];
  readonly files?: Files;
  /** The messages of the copy; null where only the command knows them. */
  readonly messages?: readonly JsonObject[];
  /** How the messages of the copy are compared. */
  readonly level?: (messages: readonly JsonObject[]) => readonly JsonObject[];
}

const run = (words: readonly string[], files: Files): Promise<Ran> => ctx(words, { files, env: { HOME: '/home/ada' } });

async function showMessages(files: Files, ...words: readonly string[]): Promise<readonly JsonObject[] | null> {
  const ran = await run(['show', ...words, '--json'], files);
  return ran.exitCode === 0
    ? listObjects(asObject((JSON.parse(ran.stdout) as JsonObject)['messages'])['cached'])
    : null;
}

/** The messages with other words in their results. */
function cutResults(messages: readonly JsonObject[], text: string): readonly JsonObject[] {
  return messages.map((message) =>
    message['role'] === 'toolResult' ? { ...message, content: [{ type: 'text', text }] } : message,
  );
}

/** The commands that write copies, with what each has to make of the messages. */
const COMMANDS: Readonly<Record<string, (given: Given) => Written | Promise<Written>>> = {
  distill: ({ file }) => ({ words: ['prune', file, '--strategy', 'distill', '--recent-turns', '1'] }),
  turns: ({ file }) => ({ words: ['prune', file, '--strategy', 'turns', '--recent-turns', '1'] }),
  compact: ({ file }) => ({ words: ['compact', file, '--summary', SUMMARY, '--keep-recent', '200'] }),
  revert: ({ file }) => ({ words: ['revert', file] }),
  repair: ({ file }) => ({ words: ['repair', file] }),
  redact: ({ file, messages }) => ({
    words: ['redact', file, '--pattern', '0123456789|Answer [0-9]+'],
    messages,
    level,
  }),
  async extract({ file, files, random }) {
    const log = await run(['log', file, '--json'], files);
    const lines = log.stdout.trimEnd().split('\n');
    const said = lines.flatMap((line) => {
      const entry = JSON.parse(line) as JsonObject;
      return asString(entry['role']) === null ? [] : [entry];
    });
    // The entries with which a turn ends: calls before an end in its middle lack their results.
    const ends = said.filter(({ role }, at) => role === 'assistant' && (said[at + 1]?.['role'] ?? 'user') === 'user');
    if (ends.length === 0) return { words: ['extract', file, 'HEAD'] };
    const id = asText(random.pick(ends)['entryId']);
    const messages = await showMessages(files, file, id);
    return { words: ['extract', file, id], ...(messages && { messages }) };
  },
  apply({ file, messages }) {
    const cut = cutResults(messages, 'cut by a patch');
    const op = { op: 'messages_cached_replace', scope: 'cached', messages: cut, invalidateCacheReason: 'tried' };
    return { words: ['apply', file, PATCH], files: { [PATCH]: JSON.stringify([op]) }, messages: cut };
  },
};

/** What is redacted is the same text, whatever its number. A result without it stays as it is. */
function level(messages: readonly JsonObject[]): readonly JsonObject[] {
  const text = JSON.stringify(messages);
  return JSON.parse(text.replaceAll(/0123456789|Answer \d+|\[REDACTED:[a-z0-9-]+:\d+\]/g, 'X')) as JsonObject[];
}

/** What is wrong with what a command did; null for a refusal in words, and for a copy as it has to be. */
async function findFault(command: string, given: Given): Promise<string | null> {
  const { words, files = {}, messages, level: toLevel = (all) => all } = await COMMANDS[command]!(given);
  const all = { ...given.files, ...files };
  const ran = await run([...words, '-o', COPY, '--json'], all);
  if (ran.files[given.file] !== given.files[given.file]) return 'the original has changed';
  if (!(COPY in ran.files)) return judgeRefusal(ran);
  const found = await showMessages(ran.files, COPY);
  if (found === null || found.length === 0) return 'the copy cannot be read';
  const difference = messages ? findMessageDifference(toLevel(messages), toLevel(found)) : null;
  if (difference !== null) return difference;
  return command === 'repair' ? judgeRepaired(ran.files) : null;
}

/** A refusal says what, where and what to do. Nothing to do is none. */
function judgeRefusal({ exitCode, stdout, stderr }: Ran): string | null {
  if (exitCode === 0) return stdout.startsWith('{') ? null : `no copy, and it prints ${stdout}`;
  const { kind, what, hint } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, string | null>;
  const isInWords = kind !== 'bug' && Boolean(what) && Boolean(hint) && !what!.includes('planned context');
  return isInWords ? null : `${kind}: ${what} (${hint})`;
}

async function judgeRepaired(files: Files): Promise<string | null> {
  const again = await run(['repair', COPY, '--dry-run'], files);
  if (!again.stdout.includes('nothing to repair')) return `repaired again: ${again.stdout}${again.stderr}`;
  const examined = await run(['doctor', COPY], files);
  return examined.exitCode === 0 ? null : examined.stdout;
}

/** Whether boundaries keep messages in an order that no path of the tree has: no client writes such a file. */
async function isOutOfOrder(text: string): Promise<boolean> {
  const { problems } = await openToCopy(text);
  return problems.some(({ code }) => code === 'restated-context');
}

it.each([
  ['Claude Code', OF_CLAUDE, generateClaudeCode],
  ['Claude Code at work', OF_CLAUDE, generateWorkedClaudeCode],
  ['Codex', OF_CODEX, generateRollout],
  ['Codex at work', OF_CODEX, (seed: number) => generateWorkedRollout(seed, seed % 2 === 1)],
] as const)(
  `${SESSIONS} broken sessions of %s have copies as planned, or are refused in words`,
  async (_, file, generate) => {
    const faults: string[] = [];
    for (let seed = 0; seed < SESSIONS; seed += 1) {
      const random = new Random(seed);
      const broken = breakWork(generate(seed), random, random.int(0, 3));
      const files = { [file]: broken.text, [SUMMARY]: 'It rained.' };
      const messages = await showMessages(files, file);
      if (messages === null || (await isOutOfOrder(broken.text))) continue;
      for (const [at, command] of Object.keys(COMMANDS).entries()) {
        if (!isTried(at, 2, seed)) continue;
        const fault = await findFault(command, { file, files, messages, random });
        if (fault !== null) faults.push(`${command} of ${seed} (${broken.faults.join(', ')}): ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  },
);
