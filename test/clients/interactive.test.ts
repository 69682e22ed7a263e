import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type JsonObject, listObjects } from '#base/json.js';
import { Pty } from '../support/pty.js';
import { isWhole } from '../support/runs.js';
import { NO_NETWORK } from './client.js';
import { copyIn, type CopyingClient, findFile, FREE, LATER, runCtx, startClaude, startCodex } from './copies.js';
import { findClaudeCode, findCodex } from './installed.js';

/** A client in a terminal, which goes on with a session. */
interface Terminal {
  readonly pty: Pty;
  /** Goes back to before the fourth turn of a session that has six. */
  rewind(): Promise<void>;
  close(): void;
}

const SIZE = { columns: 100, rows: 40 };
async function openClaude({ claude }: CopyingClient, sessionId: string): Promise<Terminal> {
  const pty = claude!.openTerminal(['--resume', sessionId, ...FREE], SIZE);
  await pty.shows('number 5.');
  await pty.settles();
  return {
    pty,
    async rewind() {
      await type(pty, '/rewind');
      await pty.shows('(current)');
      for (let turns = 0; turns < 3; turns += 1) await press(pty, '\u001b[A');
      await press(pty, '\r');
      await pty.shows('Restore conversation');
      await press(pty, '\r');
      await pty.settles();
    },
    close: () => pty.close(),
  };
}

async function openCodex({ codex }: CopyingClient, program: string, sessionId: string): Promise<Terminal> {
  const { world, config } = codex!;
  codex!.settings(`check_for_update_on_startup = false\n[projects."${world.folder}"]\ntrust_level = "trusted"`);
  const env = { ...NO_NETWORK, HOME: world.home, CODEX_HOME: config, SCRIPTED_KEY: 'none' };
  const pty = new Pty([program, 'resume', sessionId], { ...SIZE, cwd: world.folder, env });
  // It asks the terminal where the cursor is.
  let answered = 0;
  const timer = setInterval(() => {
    for (; answered < pty.written.split('\u001b[6n').length - 1; answered += 1) pty.press('\u001b[1;1R');
  }, 50);
  await pty.shows('number 5.');
  await pty.settles();
  return {
    pty,
    async rewind() {
      await press(pty, '\u001b');
      await pty.shows('esc again');
      await press(pty, '\u001b');
      await pty.shows('rewind');
      for (let turns = 0; turns < 2; turns += 1) await press(pty, '\u001b[D');
      await press(pty, '\r');
      await pty.settles();
    },
    close() {
      clearInterval(timer);
      pty.close();
    },
  };
}

async function press(pty: Pty, key: string): Promise<void> {
  pty.press(key);
  await pty.settles();
}

/** Says something instead of what is in the prompt. */
async function type(pty: Pty, words: string): Promise<void> {
  await press(pty, '\u0015');
  await press(pty, words);
  await press(pty, '\r');
}

/** Waits for the first request of a conversation that ends with a prompt. Codex asks for titles beside it. */
async function requestWith({ client }: CopyingClient, from: number, prompt: string): Promise<JsonObject> {
  const { provider } = client;
  for (let next = from; ; next += 1) {
    await provider.hasReceived(next + 1);
    const body = provider.requests[next]?.body ?? {};
    const messages = listObjects(body['input'] ?? body['messages']);
    if (messages.length > 5 && JSON.stringify(messages).includes(prompt)) return body;
  }
}

interface Interactive {
  start(): Promise<CopyingClient>;
  open(client: CopyingClient, sessionId: string): Promise<Terminal>;
}

function findInteractiveClaude(version: string): Interactive | null {
  const program = findClaudeCode(version);
  if (program === null) return null;
  return { start: () => startClaude(program, version), open: openClaude };
}

function findInteractiveCodex(version: string): Interactive | null {
  const program = findCodex(version);
  if (program === null) return null;
  return { start: () => startCodex(program), open: (client, id) => openCodex(client, program, id) };
}

const CLIENTS: readonly (readonly [title: string, found: Interactive | null])[] = [
  ['Claude Code 2.1.290', findInteractiveClaude('2.1.290')],
  ['Claude Code 2.1.332', findInteractiveClaude('2.1.332')],
  ['Codex 0.171.0', findInteractiveCodex('0.171.0')],
];

/** Where not all is tried, the newest of each. */
describe.each(CLIENTS.slice(isWhole ? 0 : -2))('%s in a terminal', (title, found) => {
  if (found === null) console.warn(`left out: ${title} is not installed`);

  it.skipIf(found === null)('goes on with a copy, and goes back to an earlier turn of it', async () => {
    const client = await found!.start();
    let terminal: Terminal | undefined;
    try {
      const original = findFile(client, await client.play(false));
      const bytes = readFileSync(original);
      const args = ['--strategy', 'distill', '--recent-turns', '1', '--install'];
      const { file, sessionId } = copyIn(await runCtx(client, 'prune', original, ...args));
      client.client.world.write('before.jsonl', readFileSync(file));
      const before = client.client.provider.requests.length;
      terminal = await found!.open(client, sessionId);

      await type(terminal.pty, LATER[0]);
      await terminal.pty.shows(/Answer to request/);
      await terminal.pty.settles();
      const whole = await runCtx(client, 'show', 'before.jsonl');
      expect(client.compare(await requestWith(client, before, LATER[0]), whole, LATER[0])).toEqual([]);

      await terminal.rewind();
      await type(terminal.pty, LATER[1]);
      const earlier = await runCtx(client, 'show', 'before.jsonl', '@{turn:4}~1');
      expect(client.compare(await requestWith(client, before, LATER[1]), earlier, LATER[1])).toEqual([]);
      expect(readFileSync(original)).toEqual(bytes);
    } finally {
      terminal?.close();
      await client.end();
    }
  });
});
