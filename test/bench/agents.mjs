// Measures `ctx show` on generated sessions of Claude Code and Codex of 100 MB, against a reader that parses every line.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, figures, table } from './measure.mjs';

const MEGABYTES = Number(process.argv[2] ?? 100);
const ROUNDS = 5;
/** From one compaction of Claude Code to the next. */
const TURNS = 12;
const STEPS = 10;
/** The lines of progress of a call. */
const HOOKS = 6;
/** From one compaction of Codex to the next. */
const CODEX_TURNS = 80;
const program = fileURLToPath(new URL('../../bin/ctx.js', import.meta.url));
const WORDS = 'The quick brown fox reads src/app.ts and finds "quotes", \\ and ünïcode.\n'.repeat(60);
const folder = mkdtempSync(path.join(tmpdir(), 'ctx-bench-'));

const PLAIN = `
const { createReadStream } = require('node:fs');
const lines = require('node:readline').createInterface({ input: createReadStream(process.argv[1]), crlfDelay: Infinity });
let count = 0;
lines.on('line', (line) => { if (JSON.parse(line).type === 'assistant') count += 1; });
lines.on('close', () => console.log(count));
`;

/** Reads all bytes, the least that any reader does. */
const READ = `
const { openSync, readSync } = require('node:fs');
const descriptor = openSync(process.argv[1]);
const bytes = Buffer.alloc(1 << 19);
while (readSync(descriptor, bytes) > 0);
`;

try {
  for (const [agent, write] of Object.entries({ 'Claude Code': writeClaudeCode, Codex: writeCodex })) {
    const file = path.join(folder, `${write.name}.jsonl`);
    write(file);
    const [start, read, plain, show] = compare(
      [
        { name: 'start Node.js', args: ['-e', '0'] },
        { name: 'start and read the bytes', args: ['-e', READ, file], reads: [file] },
        { name: 'plain', args: ['-e', PLAIN, file], reads: [file] },
        { name: 'ctx show', args: [program, 'show', file], reads: [file] },
      ],
      ROUNDS,
      { isProcessorTimed: true },
    );
    const rows = [start, read, plain, show].map((result) => [
      result.name,
      ...figures(result),
      result.processor.toFixed(0),
    ]);
    console.log(table([agent, 'median ms', 'peak MB', 'processor ms'], rows));
    const times = (show.processor / plain.processor).toFixed(1);
    console.log(`\nctx show takes ${times} times the processor time of a reader that parses every line\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * Turns of a prompt, ten steps and an answer. A step is a thought, a call with a chain of hook progress, and its long
 * result, which follows the call too: every call is a fork, as Claude Code 2.1.39 writes it, and two thirds of the lines
 * are progress. Every tenth step makes two calls at once.
 */
function writeClaudeCode(file) {
  const descriptor = openSync(file, 'w');
  let [bytes, count] = [0, 0];
  let leaf = null;
  const add = (type, fields, parentUuid = leaf) => {
    const uuid = `${(Math.imul(count + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}-0000-4000-8000-${String(count).padStart(12, '0')}`;
    const base = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/ada/app',
      sessionId: '0b1c',
      version: '2.1.144',
      gitBranch: 'main',
      slug: 'quick-brown-fox',
      type,
    };
    const timestamp = new Date(Date.UTC(2026, 8, 1) + count * 1000).toISOString();
    bytes += writeSync(descriptor, `${JSON.stringify({ ...base, ...fields, uuid, timestamp })}\n`);
    leaf = uuid;
    count += 1;
    return uuid;
  };
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 400,
    cache_read_input_tokens: 20_000,
    output_tokens: 90,
  };
  const compact = () => {
    const logicalParentUuid = leaf;
    const compactMetadata = { trigger: 'auto', preTokens: 160_000 };
    add('system', { subtype: 'compact_boundary', logicalParentUuid, compactMetadata }, null);
    add('user', { isCompactSummary: true, message: { role: 'user', content: WORDS } });
  };
  const answer = (id, block) => {
    const head = { model: 'claude-opus-4-6', id, type: 'message', role: 'assistant' };
    return add('assistant', { message: { ...head, content: [block], stop_reason: null, usage }, requestId: id });
  };
  const call = (message, id) => {
    const uuid = answer(message, {
      type: 'tool_use',
      id,
      name: 'Read',
      input: { file_path: '/home/ada/app/src/app.ts' },
    });
    const data = {
      type: 'hook_progress',
      hookEvent: 'PreToolUse',
      hookName: 'PreToolUse:Read',
      command: WORDS.slice(0, 200),
    };
    for (let hook = 0; hook < HOOKS; hook += 1) add('progress', { data, toolUseID: id, parentToolUseID: id });
    return uuid;
  };
  const result = (id, parent) => {
    const content = [{ type: 'tool_result', tool_use_id: id, content: WORDS }];
    const fields = { message: { role: 'user', content }, toolUseResult: { type: 'text', file: { content: WORDS } } };
    add('user', { ...fields, sourceToolAssistantUUID: parent }, parent);
  };
  const step = (id) => {
    answer(id, { type: 'thinking', thinking: WORDS.slice(0, 600), signature: 'c2ln'.repeat(80) });
    const calls = id.endsWith('9') ? [`${id}-a`, `${id}-b`] : [id];
    const parents = calls.map((one) => call(id, one));
    for (const [place, one] of calls.entries()) result(one, parents[place]);
  };
  for (let turn = 0; ; turn += 1) {
    if (bytes >= MEGABYTES * 1e6) break;
    if (turn % TURNS === TURNS - 1) compact();
    add('user', { message: { role: 'user', content: `Prompt ${turn}` } });
    for (let place = 0; place < STEPS; place += 1) step(`msg_${turn}-${place}`);
    answer(`msg_${turn}`, { type: 'text', text: WORDS.slice(0, 900) });
  }
  closeSync(descriptor);
}

/** Turns of a prompt, three calls with results and counts, and an answer; a compaction keeps the last sixty messages. */
function writeCodex(file) {
  const descriptor = openSync(file, 'w');
  let [bytes, count, tokens] = [0, 0, 0];
  const add = (type, payload) => {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString();
    bytes += writeSync(descriptor, `${JSON.stringify({ timestamp, type, payload })}\n`);
    count += 1;
  };
  let messages = [];
  const message = (role, text) => {
    const item = { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] };
    messages = [...messages, item].slice(-60);
    add('response_item', item);
  };
  const step = (id) => {
    const summary = [{ type: 'summary_text', text: WORDS.slice(0, 200) }];
    add('response_item', { type: 'reasoning', summary, encrypted_content: 'c2ln'.repeat(300) });
    add('response_item', {
      type: 'function_call',
      name: 'shell',
      arguments: `{"command":["cat","${id}"]}`,
      call_id: id,
    });
    add('response_item', { type: 'function_call_output', call_id: id, output: WORDS.slice(0, 3000) });
    tokens += 20_000;
    const usage = { input_tokens: 20_000, cached_input_tokens: 15_000, output_tokens: 90, total_tokens: 20_090 };
    const info = { total_token_usage: { ...usage, input_tokens: tokens }, last_token_usage: usage };
    add('event_msg', { type: 'token_count', info });
  };
  add('session_meta', { id: '0b1c', cwd: '/home/ada/app', cli_version: '0.104.0', base_instructions: { text: WORDS } });
  for (let turn = 0; ; turn += 1) {
    if (bytes >= MEGABYTES * 1e6) break;
    if (turn % CODEX_TURNS === CODEX_TURNS - 1) add('compacted', { message: '', replacement_history: messages });
    add('turn_context', { model: 'gpt-5', effort: 'high' });
    message('user', `Prompt ${turn}`);
    for (const place of [0, 1, 2]) step(`call_${turn}_${place}`);
    message('assistant', WORDS.slice(0, 900));
  }
  closeSync(descriptor);
}
