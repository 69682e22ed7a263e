// Measures `ctx show` on a generated Claude Code session of 100 MB, against a reader that parses every line.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, figures, table } from './measure.mjs';

const MEGABYTES = Number(process.argv[2] ?? 100);
const ROUNDS = 5;
/** From one compaction to the next. */
const TURNS = 80;
const program = fileURLToPath(new URL('../../bin/ctx.js', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'ctx-bench-'));
const file = path.join(folder, 'session.jsonl');

const PLAIN = `
const { createReadStream } = require('node:fs');
const lines = require('node:readline').createInterface({ input: createReadStream(process.argv[1]), crlfDelay: Infinity });
let count = 0;
lines.on('line', (line) => { if (JSON.parse(line).type === 'assistant') count += 1; });
lines.on('close', () => console.log(count));
`;

try {
  writeSession();
  const [plain, show] = compare(
    [
      { name: 'plain', args: ['-e', PLAIN, file], reads: [file] },
      { name: 'ctx show', args: [program, 'show', file], reads: [file] },
    ],
    ROUNDS,
  );
  console.log(
    table(
      ['case', 'median ms', 'peak MB'],
      [plain, show].map((result) => [result.name, ...figures(result)]),
    ),
  );
  console.log(
    `\nctx show takes ${(show.median / plain.median).toFixed(1)} times as long as a reader that parses every line`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** Turns of a prompt, a call with a long result, hook progress, and an answer. */
function writeSession() {
  const descriptor = openSync(file, 'w');
  let bytes = 0;
  let parent = null;
  let count = 0;
  const add = (type, fields) => {
    const uuid = `${(Math.imul(count + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}-0000-4000-8000-${String(count).padStart(12, '0')}`;
    const base = {
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      cwd: '/work/app',
      sessionId: '0b1c',
      version: '2.1.144',
      type,
    };
    const line = `${JSON.stringify({ ...base, ...fields, uuid, timestamp: new Date(Date.UTC(2026, 8, 1) + count * 1000).toISOString() })}\n`;
    bytes += writeSync(descriptor, line);
    parent = uuid;
    count += 1;
  };
  const words = 'The quick brown fox reads src/app.ts and finds "quotes", \\ and ünïcode.\n'.repeat(60);
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 400,
    cache_read_input_tokens: 20_000,
    output_tokens: 90,
  };
  const compact = () => {
    const logicalParentUuid = parent;
    parent = null;
    add('system', {
      subtype: 'compact_boundary',
      logicalParentUuid,
      compactMetadata: { trigger: 'auto', preTokens: 160_000 },
    });
    add('user', { isCompactSummary: true, message: { role: 'user', content: words } });
  };
  for (let turn = 0; ; turn += 1) {
    if (bytes >= MEGABYTES * 1e6) break;
    if (turn % TURNS === TURNS - 1) compact();
    const answer = (id, block) =>
      add('assistant', {
        message: {
          model: 'claude-opus-4-6',
          id,
          type: 'message',
          role: 'assistant',
          content: [block],
          stop_reason: null,
          usage,
        },
        requestId: id,
      });
    add('user', { message: { role: 'user', content: `Prompt ${turn}` } });
    answer(`msg_${turn}a`, { type: 'thinking', thinking: words.slice(0, 600), signature: 'c2ln'.repeat(80) });
    answer(`msg_${turn}a`, {
      type: 'tool_use',
      id: `t${turn}`,
      name: 'Read',
      input: { file_path: '/work/app/src/app.ts' },
    });
    add('progress', {
      data: { type: 'hook_progress', hookEvent: 'PreToolUse', command: 'check.sh' },
      toolUseID: `t${turn}`,
    });
    const content = [{ type: 'tool_result', tool_use_id: `t${turn}`, content: words }];
    add('user', { message: { role: 'user', content }, toolUseResult: { type: 'text', file: { content: words } } });
    answer(`msg_${turn}b`, { type: 'text', text: words.slice(0, 900) });
  }
  closeSync(descriptor);
}
