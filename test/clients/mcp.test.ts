import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject } from '#base/json.js';
import { ClaudeCode } from './claude-code.js';
import type { World } from './client.js';
import { Codex } from './codex.js';
import { FREE } from './copies.js';
import { installCtx, runsIn } from './installed-ctx.js';
import { findClaudeCode, findCodex } from './installed.js';
import { calls, type Provider, says } from './provider.js';

/** Puts the client where `ctx mcp install` finds it. */
function putOnPath(world: World, name: string, program: string): void {
  world.write(path.join(world.programs, name), `#!/bin/sh\nexec '${program}' "$@"\n`, 0o755);
}

/** Runs `ctx mcp` to its end, and returns its exit code. */
async function ctxMcp(world: World, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const run = world.start(path.join(world.programs, 'ctx'), ['mcp', ...args], env);
  await run.end();
  return run.exitCode;
}

/** The request that follows the answer with a number, among those with a prompt. */
function requestAfter({ requests }: Provider, prompt: string, answers: number): string {
  return requests.map(({ body }) => JSON.stringify(body)).filter((text) => text.includes(prompt))[answers] ?? '';
}

/** The texts that a request lacks. What it contains is the maker's, and stays out of messages. */
const lacks = (sent: string, ...wanted: readonly string[]): readonly string[] =>
  wanted.filter((text) => !sent.includes(text));

const TOLD = 'The harbour master is called Ina.';
const ASKED = 'Who did I speak of before?';
const FIND = { words: 'harbour master' };

/** Clients send their first request before their servers have started, which takes seconds on a busy machine. */
const WAITING = 'sleep 8';

const VERSIONS = ['2.1.237', '2.1.332'];

describe.each(VERSIONS)('ctx mcp install in Claude Code %s', (version) => {
  const program = findClaudeCode(version);
  if (program === null) console.warn(`left out: Claude Code ${version} is not installed`);

  it.skipIf(program === null).concurrent('adds the server, which answers in a session, and removes it', async () => {
    const claude = await ClaudeCode.start(program!, version);
    const log = installCtx(claude.world);
    putOnPath(claude.world, 'claude', program!);
    const env = { CLAUDE_CONFIG_DIR: claude.config };
    const settings = path.join(claude.config, '.claude.json');
    const server = (): unknown =>
      existsSync(settings) ? asObject(JSON.parse(readFileSync(settings, 'utf8')).mcpServers)['ctx'] : undefined;
    try {
      expect(await ctxMcp(claude.world, env, 'install', 'claude', '--dry-run')).toBe(0);
      expect(await ctxMcp(claude.world, env, 'install', 'claude')).toBe(4);
      expect(server()).toBeUndefined();
      expect(await ctxMcp(claude.world, env, 'install', 'claude', '--yes', '--allow-content')).toBe(0);
      expect(server()).toMatchObject({ command: 'ctx', args: ['mcp', '--allow-content'] });
      expect((await claude.run('mcp', 'get', 'ctx')).exitCode).toBe(0);
      // It refuses to add a second one.
      expect(await ctxMcp(claude.world, env, 'install', 'claude', '--yes')).toBe(4);

      claude.provider.script(TOLD, says('I see.'));
      await claude.open(...FREE).only(TOLD);
      claude.provider.script(
        ASKED,
        calls('Bash', { command: WAITING, description: 'Wait for the server' }),
        calls('ToolSearch', { query: 'select:mcp__ctx__find,mcp__ctx__context' }),
        calls('mcp__ctx__find', FIND),
        calls('mcp__ctx__context', {}),
        says('Of Ina.'),
      );
      await claude.open(...FREE).only(ASKED);
      expect(claude.provider.failures).toEqual([]);
      const sent = (answers: number): string => requestAfter(claude.provider, ASKED, answers);
      expect(lacks(sent(2), 'Finds sessions by')).toEqual([]);
      expect(sent(2).includes(TOLD)).toBe(false);
      expect(lacks(sent(3), TOLD)).toEqual([]);
      expect(lacks(sent(4), 'composition')).toEqual([]);
      expect(runsIn(log)).toContain('mcp --allow-content');

      expect(await ctxMcp(claude.world, env, 'uninstall', 'claude', '--yes')).toBe(0);
      expect(server()).toBeUndefined();
      await claude.open(...FREE).only('Is it gone?');
      expect(requestAfter(claude.provider, 'Is it gone?', 0).includes('mcp__ctx')).toBe(false);
    } finally {
      await claude.end();
    }
  });
});

describe('ctx mcp install in Codex 0.171.0', () => {
  const program = findCodex('0.171.0');
  if (program === null) console.warn('left out: Codex 0.171.0 is not installed');

  it.skipIf(program === null).concurrent('adds the server, which answers in a session, and removes it', async () => {
    const codex = await Codex.start(program!);
    const log = installCtx(codex.world);
    putOnPath(codex.world, 'codex', program!);
    const env = { CODEX_HOME: codex.config };
    const settings = (): string => readFileSync(path.join(codex.config, 'config.toml'), 'utf8');
    const before = settings();
    try {
      expect(await ctxMcp(codex.world, env, 'install', 'codex')).toBe(4);
      expect(settings()).toBe(before);
      expect(await ctxMcp(codex.world, env, 'install', 'codex', '--yes')).toBe(0);
      expect(settings()).toContain('[mcp_servers.ctx]');
      expect((await codex.run('mcp', 'get', 'ctx')).exitCode).toBe(0);

      codex.provider.script(TOLD, says('I see.'));
      await codex.exec(TOLD);
      codex.provider.script(
        ASKED,
        calls('exec_command', { cmd: WAITING }),
        calls('mcp__ctx.find', FIND),
        calls('mcp__ctx.context', {}),
        says('I do not know.'),
      );
      await codex.exec(ASKED);
      expect(codex.provider.failures).toEqual([]);
      const sent = (answers: number): string => requestAfter(codex.provider, ASKED, answers);
      expect(lacks(sent(1), 'Finds sessions by')).toEqual([]);
      expect(lacks(sent(2), 'Texts are withheld', 'entries')).toEqual([]);
      expect(lacks(sent(3), 'composition')).toEqual([]);
      // Without --allow-content, what was said in another session stays there.
      expect(sent(3).includes(TOLD)).toBe(false);
      expect(runsIn(log)).toContain('mcp, with CODEX_HOME');

      expect(await ctxMcp(codex.world, env, 'uninstall', 'codex', '--yes')).toBe(0);
      expect(settings().trim()).toBe(before.trim());
    } finally {
      await codex.end();
    }
  });
});
