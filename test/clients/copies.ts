import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { asObject, asText, type JsonObject, listObjects } from '#base/json.js';
import { projectFolder } from '../support/files.js';
import { anthropicPieces, ClaudeCode, unrecordedIn } from './claude-code.js';
import { Codex, openaiPieces, shownRequest } from './codex.js';
import { differences, type Piece, shownPieces, type Unrecorded } from './compare.js';
import type { Judged } from './judge.js';
import { type Answer, calls, says } from './provider.js';

/** A real client whose sessions are copied. */
export interface CopyingClient {
  readonly claude?: ClaudeCode;
  readonly codex?: Codex;
  readonly client: ClaudeCode | Codex;
  readonly env: Readonly<Record<string, string>>;
  /** Plays a session with tools, and compacts it if asked. Returns its id. */
  play(isCompacted: boolean): Promise<string>;
  /** Plays a session whose last answer reports a window that is almost full. Returns its id. */
  fill(): Promise<string>;
  /** Goes on with a session. */
  resume(sessionId: string, ...prompts: readonly string[]): Promise<void>;
  /** Lets the client itself compact a session. */
  compact(sessionId: string): Promise<void>;
  /** Lets the client compact whatever has more than some 80,000 tokens. */
  narrow(): void;
  /** Goes back to the second turn of a session that has five, and says something else. */
  goBack(sessionId: string, prompt: string): Promise<void>;
  /** Goes back to the turn before a prompt of a copy, and says something else. false if the client does not go back in it. */
  rewind(copy: { readonly file: string; readonly sessionId: string }, prompt: string, words: string): Promise<boolean>;
  /** How requests and sessions are read. */
  readonly judged: Pick<Judged, 'sent' | 'shown' | 'unrecorded'>;
  /** How a request differs from the context that was predicted, and the prompt after it. */
  compare(body: JsonObject, predicted: JsonObject, prompt: string): readonly string[];
  end(): Promise<void>;
}

/** The words of a session that is copied: each is answered with a long output, which a prune shortens. */
const WORDS = ['Print much', 'Print more', 'Print again', 'Print further', 'Print the rest'] as const;

/** What the user says before the provider reports that the window is almost full. */
const FILLING = 'Fill the window';

/** What the user says after the session was copied: each answer has a call of a tool. */
export const LATER = ['Go on with the copy', 'Go further with it', 'Finish the copy'] as const;

function script(client: ClaudeCode | Codex, run: (command: string) => Answer): void {
  for (const [at, words] of WORDS.entries()) {
    const call = run(`seq ${(at + 1) * 10_000} ${at * 10_000 + 12_000}`);
    const parts = [{ thinks: 'A command helps.' }, ...(call.parts ?? [])];
    client.provider.script(words, { parts }, says(`This was number ${at + 1}.`, { thinks: 'It is enough.' }));
  }
  client.provider.script(FILLING, { ...says('It is full.'), promptTokens: 95_000 });
  for (const [at, words] of LATER.entries()) client.provider.script(words, run(`echo later ${at}`));
}

/** Every tool may be used, but for those that the client asks for by itself: no file has the words of this reminder. */
export const FREE = [
  '--permission-mode',
  'bypassPermissions',
  '--disallowedTools=TaskCreate,TaskUpdate,TaskList,TaskGet,TodoWrite',
] as const;

/** Starts a Claude Code. */
export async function startClaude(program: string, version: string): Promise<CopyingClient> {
  const claude = await ClaudeCode.start(program, version);
  script(claude, (command) => calls('Bash', { command, description: 'Run a command' }));
  const judged = {
    sent: anthropicPieces,
    shown: shownPieces,
    unrecorded: (envelope: JsonObject) => unrecordedIn(envelope, version),
  };
  return {
    claude,
    client: claude,
    env: { HOME: claude.world.home, CLAUDE_CONFIG_DIR: claude.config },
    play: (isCompacted) => claude.open(...FREE).only(...WORDS, ...(isCompacted ? ['/compact', 'What is left?'] : [])),
    fill: () => claude.open(...FREE).only(...WORDS, FILLING),
    async resume(sessionId, ...prompts) {
      await claude.open(...FREE, '--resume', sessionId).only(...prompts);
    },
    async compact(sessionId) {
      await claude.open(...FREE, '--resume', sessionId).only('/compact');
    },
    narrow: () => claude.settings({ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' } }),
    async goBack(sessionId, prompt) {
      const [, bytes] = Object.entries(claude.files()).find(([name]) => name.includes(sessionId)) ?? [];
      const lines = Buffer.from(bytes ?? [])
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject);
      const answer = lines.find((line) => line['type'] === 'assistant' && JSON.stringify(line).includes('number 2.'));
      const uuid = asText(answer?.['uuid']);
      await claude.open(...FREE, '--resume', sessionId, '--resume-session-at', uuid).only(prompt);
    },
    async rewind({ file, sessionId }, prompt, words) {
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'));
      const records = lines.map((line) => JSON.parse(line) as JsonObject);
      const end = records.findLastIndex(
        ({ type, message }) => type === 'user' && asObject(message)['content'] === prompt,
      );
      if (end === -1) return false;
      const answer = records.slice(0, end).findLast(({ type }) => type === 'assistant');
      const uuid = asText(answer?.['uuid']);
      await claude.open(...FREE, '--resume', sessionId, '--resume-session-at', uuid).only(words);
      return true;
    },
    judged,
    compare(body, predicted, prompt) {
      const sent = anthropicPieces(body);
      const shown = shownPieces(predicted);
      const answered = shown.filter(({ from }) => from === 'model').length;
      const [before, since] = splitAfter(sent, answered);
      const [known, rest] = splitAfter(shown, answered);
      // The client adds its reminders to the prompt, and texts of its own after a result without an answer.
      const said = since.filter(({ kind, text }) => kind !== 'reminder' && !(rest.length > 0 && OWN_TEXTS.has(text)));
      const last = { from: 'user', kind: 'text', text: prompt } as const;
      // It leaves out the count of tokens after such a result.
      const wanted = [
        ...rest.filter(({ kind, text }) => kind !== 'reminder' && !text.startsWith('<total_tokens>')),
        last,
      ];
      return [
        ...differences(before, known, unorderedIn(predicted, version)),
        ...differences(said, wanted, { reminders: 'words' }),
      ];
    },
    end: () => claude.end(),
  };
}

/** What a copy lacks beside `unrecordedIn`: the recorded requests, which tell the order of reminders. */
function unorderedIn(envelope: JsonObject, version: string): Unrecorded {
  const unrecorded = unrecordedIn(envelope, version);
  return unrecorded.reminders === 'ordered' ? { ...unrecorded, reminders: 'words' } : unrecorded;
}

const OWN_TEXTS: ReadonlySet<string> = new Set(['Continue from where you left off.', 'No response requested.']);

/** The pieces up to a number of those of the model, and the others. */
function splitAfter(pieces: readonly Piece[], count: number): readonly [readonly Piece[], readonly Piece[]] {
  const last = pieces.filter(({ from }) => from === 'model')[count - 1];
  const end = last === undefined ? 0 : pieces.indexOf(last) + 1;
  return [pieces.slice(0, end), pieces.slice(end)];
}

/** Starts a Codex. */
export async function startCodex(program: string): Promise<CopyingClient> {
  const codex = await Codex.start(program);
  script(codex, (cmd) => calls('exec_command', { cmd }));
  const judged = {
    sent: openaiPieces,
    shown: shownRequest,
    unrecorded: () => ({ reminders: 'ordered' as const }),
  };
  return {
    codex,
    client: codex,
    env: { HOME: codex.world.home, CODEX_HOME: codex.config },
    async play(isCompacted) {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      for (const words of WORDS) await server.say(threadId, words);
      if (isCompacted) {
        await server.compact(threadId);
        await server.say(threadId, 'What is left?');
      }
      await server.end();
      return threadId;
    },
    async fill() {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      for (const words of [...WORDS, FILLING]) await server.say(threadId, words);
      await server.end();
      return threadId;
    },
    async resume(sessionId, ...prompts) {
      const [only = '', ...others] = prompts;
      if (others.length === 0) {
        await codex.exec(only, 'resume', sessionId);
        return;
      }
      const server = await codex.serve();
      const threadId = await server.thread('thread/resume', { threadId: sessionId });
      for (const words of prompts) await server.say(threadId, words);
      await server.end();
    },
    async compact(sessionId) {
      const server = await codex.serve();
      await server.compact(await server.thread('thread/resume', { threadId: sessionId }));
      await server.end();
    },
    narrow: () => codex.settings('model_context_window = 100000\nmodel_auto_compact_token_limit = 80000'),
    async goBack(sessionId, prompt) {
      const server = await codex.serve();
      const { thread } = await server.call('thread/resume', { threadId: sessionId });
      const turns = listObjects(asObject(thread)['turns']);
      await server.call('thread/revert', { threadId: sessionId, beforeTurnId: asText(turns[2]?.['id']) });
      await server.say(sessionId, prompt);
      await server.end();
    },
    async rewind({ sessionId }, prompt, words) {
      const server = await codex.serve();
      const { thread } = await server.call('thread/resume', { threadId: sessionId });
      const turns = listObjects(asObject(thread)['turns']);
      const at = turns.findLastIndex((each) => JSON.stringify(each).includes(prompt));
      const beforeTurnId = asText(turns[at]?.['id']);
      const isBack = await server
        .call('thread/revert', { threadId: sessionId, beforeTurnId })
        .then(() => true)
        .catch((error: unknown) => {
          // Codex 0.171 goes back in threads that it begins in that form only.
          if (String(error).includes('only supports paginated threads')) return false;
          throw error;
        });
      if (isBack) await server.say(sessionId, words);
      await server.end();
      return isBack;
    },
    judged,
    compare(body, predicted, prompt) {
      const sent = openaiPieces(body);
      const shown = shownRequest(predicted, sent);
      const wanted = [...shown, { from: 'user', kind: 'text', text: prompt } as const];
      // What the client says about its settings may be between the history and the prompt.
      const known = [...sent.slice(0, shown.length), ...sent.slice(shown.length).slice(-1)];
      return differences(known, wanted, { reminders: 'ordered' });
    },
    end: () => codex.end(),
  };
}

/** Runs the built program in the folder and the home of a client. Returns the JSON that it prints. */
export async function runCtx({ env, client }: CopyingClient, ...argv: readonly string[]): Promise<JsonObject> {
  const binary = path.join(projectFolder, 'bin/ctx.js');
  const { stdout } = await promisify(execFile)(process.execPath, [binary, ...argv, '--json'], {
    cwd: client.world.folder,
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', CTX_INDEX_DIR: '', ...env },
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout) as JsonObject;
}

/** The file of a session, and the folder of all. */
export function findFile({ client, claude }: CopyingClient, sessionId: string): string {
  const folder = path.join(client.config, claude ? 'projects' : 'sessions');
  const file = Object.keys(client.files()).find((name) => path.basename(name).includes(sessionId));
  if (file === undefined) throw new Error(`no session ${sessionId} in ${folder}`);
  return file;
}

/** The file and the id of the copy that a command wrote. */
export function copyIn(document: JsonObject): { readonly file: string; readonly sessionId: string } {
  const { file, sessionId } = asObject(document['copy']);
  return { file: asText(file), sessionId: asText(sessionId) };
}
