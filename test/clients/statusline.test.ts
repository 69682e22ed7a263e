import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, type JsonObject } from '#base/json.js';
import { ClaudeCode } from './claude-code.js';
import { FREE } from './copies.js';
import { findClaudeCode } from './installed.js';
import { says } from './provider.js';

const program = findClaudeCode('2.1.332');
if (program === null) console.warn('left out: Claude Code 2.1.332 is not installed');

const CTX = `"${process.execPath}" "${path.resolve('bin/ctx.js')}"`;

describe.skipIf(program === null)('the status line of Claude Code 2.1.332', () => {
  it('shows the context, and passes the fields that are read', async () => {
    const claude = await ClaudeCode.start(program!, '2.1.332');
    const { world, provider } = claude;
    const input = path.join(world.home, 'status.json');
    const command = `tee "${input}" | ${CTX} statusline --compact-at 150k`;
    claude.settings({ statusLine: { type: 'command', command } });
    provider.script('Count the boats', { ...says('There are two.'), promptTokens: 50_000 });
    const pty = claude.openTerminal(FREE, { columns: 140, rows: 40 });
    try {
      await pty.shows('bypass permissions on');
      for (const keys of ['\u0015', 'Count the boats.', '\r']) {
        pty.press(keys);
        await pty.settles();
      }
      await pty.shows('There are two.');
      await pty.shows(/context 25% of 200k, compacts in 100k/);
      await pty.shows(/~\$0\.\d+ today/);
      const passed = JSON.parse(readFileSync(input, 'utf8')) as JsonObject;
      expect(passed['transcript_path']).toContain(passed['session_id']);
      expect(asObject(passed['context_window'])).toMatchObject({
        context_window_size: 200_000,
        total_input_tokens: 50_001,
      });
      expect(Object.keys(asObject(passed['prompt_cache']))).toEqual(
        expect.arrayContaining(['last_miss_at', 'last_miss_cause', 'hit_ratio']),
      );
    } finally {
      pty.close();
      await claude.end();
    }
  });
});
