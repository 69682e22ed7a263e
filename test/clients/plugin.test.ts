import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, type JsonObject } from '#base/json.js';
import { projectFolder } from '../support/files.js';
import { ClaudeCode } from './claude-code.js';
import { Codex } from './codex.js';
import { FREE } from './copies.js';
import { askedIn, installCtx, runsIn } from './installed-ctx.js';
import { findClaudeCode, findCodex } from './installed.js';
import { calls, type Provider, says } from './provider.js';

/** The plugin, as its manifests name it and its marketplace. */
const PLUGIN = 'ctx@pi-ctx';
const SKILLS = ['cache-miss', 'compaction-loss', 'context-use', 'ctx', 'find-session', 'slim-session'];

const textOf = (body: JsonObject | undefined): string => JSON.stringify(body ?? {});

/** The body of a page of the plugin, as it stands in a JSON string. */
function skillText(name: string): string {
  const page = readFileSync(path.join(projectFolder, `plugin/skills/${name}/SKILL.md`), 'utf8');
  return JSON.stringify(page.replace(/^---\n.*?\n---\n+/s, '').trim()).slice(1, -1);
}

/** The texts that a request lacks. What it contains is the maker's, and stays out of messages. */
const lacks = (sent: string, ...wanted: readonly string[]): readonly string[] =>
  wanted.filter((text) => !sent.includes(text));

/** The request that follows the answer with a number, counted among those with a prompt. */
function requestAfter({ requests }: Provider, prompt: string, answers: number): string {
  const own = requests.map(({ body }) => textOf(body)).filter((text) => text.includes(prompt));
  return own[answers] ?? '';
}

/** The hook of the plugin, and what its user says that a summary of the scripted provider lacks. */
const GUARD = 'guard compaction';
const INSTRUCTION = 'Never measure anything in feet.';

const VERSIONS = ['2.1.237', '2.1.332'];
const TOOLS = ['context', 'cost', 'cache', 'find', 'read', 'loss'];

const ANSWERED = TOOLS.map((_, at) => at + 1);

/** The answers of tools in a request. An error is none. */
const countAnswers = (sent: string): number => sent.split('{\\"notice\\":').length - 1;

const nameTool = (tool: string): string => `mcp__plugin_ctx_ctx__${tool}`;

describe.each(VERSIONS)('the plugin in Claude Code %s', (version) => {
  const program = findClaudeCode(version);
  if (program === null) console.warn(`left out: Claude Code ${version} is not installed`);

  it.skipIf(program === null).concurrent('gives the model its skills and tools, and is gone when removed', async () => {
    const claude = await ClaudeCode.start(program!, version);
    const log = installCtx(claude.world, { isWatched: true });
    const settings = (): string => readFileSync(path.join(claude.config, 'settings.json'), 'utf8');
    try {
      for (const args of [
        ['validate', path.join(projectFolder, 'plugin')],
        ['marketplace', 'add', projectFolder],
        ['install', PLUGIN],
      ])
        expect((await claude.run('plugin', ...args)).exitCode, args.join(' ')).toBe(0);
      expect(settings()).toContain(PLUGIN);

      const prompt = 'Why did my cache miss?';
      claude.provider.script(
        prompt,
        ...SKILLS.map((skill) => calls('Skill', { skill: `ctx:${skill}` })),
        calls('Bash', { command: 'ctx cache --max-tokens 800', description: 'Show cache breaks' }),
        calls('ToolSearch', { query: `select:${TOOLS.map(nameTool).join(',')}` }),
        ...TOOLS.map((tool) => calls(nameTool(tool), {})),
        says('It did not.'),
      );
      await claude.open(...FREE).only(INSTRUCTION, prompt, '/compact', 'And now?');
      expect(claude.provider.failures).toEqual([]);
      const sent = (answers: number): string => requestAfter(claude.provider, prompt, answers);
      expect(lacks(sent(0), ...SKILLS.map((skill) => `ctx:${skill}`))).toEqual([]);
      for (const [at, skill] of SKILLS.entries()) {
        expect(sent(at).includes(skillText(skill)), skill).toBe(false);
        expect(sent(at + 1).includes(skillText(skill)), skill).toBe(true);
      }
      const ran = SKILLS.length + 1;
      expect(lacks(sent(ran), 'prompt tokens')).toEqual([]);
      expect(lacks(sent(ran + 1), ...TOOLS.map(nameTool))).toEqual([]);
      expect(TOOLS.map((_, at) => countAnswers(sent(ran + 2 + at)))).toEqual(ANSWERED);
      expect(runsIn(log)).toEqual(expect.arrayContaining(['mcp', 'cache --max-tokens 800', GUARD]));
      const told = claude.lines().filter(({ attachment }) => asObject(attachment)['type'] === 'hook_system_message');
      expect(told.map((line) => JSON.stringify(line).includes(INSTRUCTION))).toEqual([true]);
      expect(askedIn(log)).toEqual([]);

      for (const args of [
        ['uninstall', PLUGIN],
        ['marketplace', 'remove', 'pi-ctx'],
      ])
        expect((await claude.run('plugin', ...args)).exitCode, args.join(' ')).toBe(0);
      expect(settings()).not.toContain('ctx');
      const before = runsIn(log).length;
      await claude.open(...FREE).only('Is it gone?');
      expect(/ctx:cache-miss|plugin_ctx|plugin:ctx/.test(requestAfter(claude.provider, 'Is it gone?', 0))).toBe(false);
      expect(runsIn(log)).toHaveLength(before);
    } finally {
      await claude.end();
    }
  });
});

describe('the plugin in Codex 0.171.0', () => {
  const program = findCodex('0.171.0');
  if (program === null) console.warn('left out: Codex 0.171.0 is not installed');

  it.skipIf(program === null).concurrent('gives the model its skills and tools, and is gone when removed', async () => {
    const codex = await Codex.start(program!);
    const log = installCtx(codex.world, { isWatched: true });
    const settings = (): string => readFileSync(path.join(codex.config, 'config.toml'), 'utf8');
    const before = settings();
    try {
      for (const args of [
        ['marketplace', 'add', projectFolder],
        ['add', PLUGIN],
      ])
        expect((await codex.run('plugin', ...args)).exitCode, args.join(' ')).toBe(0);
      expect(settings()).toContain(PLUGIN);

      const prompt = 'Why did my cache miss?';
      const run = (cmd: string) => calls('exec_command', { cmd });
      // Codex sends its first request before its servers have started.
      codex.provider.script(
        prompt,
        run('sleep 5; ctx cache --max-tokens 800'),
        ...TOOLS.map((tool) => calls(`mcp__ctx.${tool}`, {})),
        says('No.'),
      );
      await codex.exec(INSTRUCTION);
      // Codex runs no hook before the user has reviewed it. The flag is for automation.
      expect(runsIn(log).filter((words) => words.startsWith(GUARD))).toEqual([]);
      await codex.exec(prompt, '--dangerously-bypass-hook-trust');
      expect(codex.provider.failures).toEqual([]);
      const sent = (answers: number): string => requestAfter(codex.provider, prompt, answers);
      expect(lacks(sent(0), ...SKILLS.map((skill) => `ctx:${skill}`))).toEqual([]);
      expect(lacks(sent(1), 'prompt tokens')).toEqual([]);
      expect(lacks(sent(1), ...TOOLS.map((tool) => `"name":"${tool}"`))).toEqual([]);
      expect(TOOLS.map((_, at) => countAnswers(sent(2 + at)))).toEqual(ANSWERED);
      expect(runsIn(log)).toEqual(
        expect.arrayContaining(['mcp', 'cache --max-tokens 800', GUARD].map((words) => `${words}, with CODEX_HOME`)),
      );

      expect(askedIn(log)).toEqual([]);

      for (const args of [
        ['remove', PLUGIN],
        ['marketplace', 'remove', 'pi-ctx'],
      ])
        expect((await codex.run('plugin', ...args)).exitCode, args.join(' ')).toBe(0);
      expect(settings().trim()).toBe(before.trim());
      const runs = runsIn(log).length;
      await codex.exec('Is it gone?');
      expect(requestAfter(codex.provider, 'Is it gone?', 0).includes('ctx:cache-miss')).toBe(false);
      expect(runsIn(log)).toHaveLength(runs);
    } finally {
      await codex.end();
    }
  });
});
