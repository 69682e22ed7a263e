import { describe, expect, it } from 'vitest';
import { asObject, type JsonObject, listObjects } from '#base/json.js';
import { call, ClaudeCodeLog, textBlock } from '../support/claude-code.js';
import { ctx } from '../support/memory-io.js';
import { isWhole } from '../support/runs.js';
import { breakSession, BROKEN_SESSIONS, UNREPAIRED, UNSEEN } from './broken-sessions.js';
import { isStuck, readOutcomes } from './outcomes.js';

const WORDS = ['Print much', 'Print more', 'Print again'];

/** The model with whose window the client was tried. */
const SONNET = { model: 'claude-sonnet-4-5' };

const thought = (thinking: string): object => ({ type: 'thinking', thinking, signature: 'c2lnbmVk' });

/** A session of Claude Code like those that the client wrote for the faults. */
function talk(version: string): string {
  const log = new ClaudeCodeLog();
  for (const [at, words] of WORDS.entries()) {
    log.user(words);
    log.answer(`msg_${at}_1`, thought('A command helps.'), log.leaf, SONNET);
    log.answer(`msg_${at}_1`, call(`toolu_${at}`), log.leaf, SONNET);
    log.result(`toolu_${at}`, `${at}`);
    log.answer(`msg_${at}_2`, thought('It is enough.'), log.leaf, SONNET);
    log.answer(`msg_${at}_2`, textBlock(`This was number ${at}.`), log.leaf, SONNET);
  }
  return log.text.replaceAll('"version":"2.1.144"', `"version":"${version}"`);
}

/** A rollout of Codex like those that the client wrote for the faults. */
function rollout(version: string): string {
  const lines: JsonObject[] = [];
  const write = (type: string, payload: JsonObject): void => {
    lines.push({ timestamp: `2026-03-02T09:00:${10 + lines.length}.000Z`, type, payload });
  };
  const meta = { timestamp: '2026-03-02T09:00:00.000Z', cwd: '/work', originator: 'codex_exec' };
  write('session_meta', { id: '019ca000-0000-7000-8000-000000000001', ...meta, cli_version: version });
  write('turn_context', { model: 'gpt-5.2-codex' });
  for (const [at, words] of WORDS.entries()) {
    write('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] });
    write('response_item', { type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: 'c2VjcmV0' });
    const shell = { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}' };
    write('response_item', { ...shell, call_id: `call_${at}` });
    write('response_item', { type: 'function_call_output', call_id: `call_${at}`, output: `${at}` });
    const said = [{ type: 'output_text', text: `This was number ${at}.` }];
    write('response_item', { type: 'message', role: 'assistant', content: said });
    const usage = { input_tokens: 20_000, cached_input_tokens: 0, output_tokens: 7, total_tokens: 20_007 };
    const info = { total_token_usage: usage, last_token_usage: usage, model_context_window: 258_400 };
    write('event_msg', { type: 'token_count', info });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The faults of many megabytes, with which each command takes a second. */
const HEAVY = new Set([
  'more than 32 MB of images',
  'an image with more than 20 MB',
  'a compacted history with such an image',
]);

/**
 * Each fault with each version that was tried with it. The version decides the verdict, and nothing else: where not all
 * is tried, the first version of each agent has every rule and every screen, and the others only the rule. A heavy fault
 * has only the rule, with one version of each outcome.
 */
const TRIED = Object.entries(readOutcomes()).flatMap(([fault, outcomes]) => {
  const isHeavy = !isWhole && HEAVY.has(fault);
  const agents = new Set<string>();
  const found = new Set<string>();
  return Object.entries(outcomes).flatMap(([client, outcome]) => {
    const [, agent = '', version = ''] = /^(.*) ([\d.]+)$/.exec(client) ?? [];
    const isFirst = isWhole || (!agents.has(agent) && !isHeavy);
    const isLeftOut = isHeavy && found.has(`${agent} ${outcome}`);
    agents.add(agent);
    found.add(`${agent} ${outcome}`);
    return isLeftOut ? [] : [[fault, client, outcome, { agent, version, isFirst }] as const];
  });
});

describe('ctx check states what the real client did', () => {
  it.each(TRIED)('%s, %s: %s', async (fault, _client, outcome, { agent, version, isFirst }) => {
    const text = agent === 'Codex' ? rollout(version) : talk(version);
    const how = BROKEN_SESSIONS[agent as keyof typeof BROKEN_SESSIONS][fault]!;
    const files = { 'f.jsonl': breakSession(text, how) };
    const rules = isFirst ? [] : ['--rules', 'cannot-go-on'];
    const { stdout, exitCode } = await ctx(['check', 'f.jsonl', '--no-config', '--json', ...rules], { files });
    const [file] = listObjects((JSON.parse(stdout) as JsonObject)['files']);
    const { goesOn, why, command } = asObject(file?.['goingOn']);
    if (isFirst) {
      const doctor = await ctx(['doctor', 'f.jsonl', '--no-config', '--json'], { files });
      expect(asObject((JSON.parse(doctor.stdout) as JsonObject)['goingOn'])).toEqual(asObject(file?.['goingOn']));
      expect(doctor.exitCode).toBe(goesOn === true ? 0 : 1);
    }
    if (goesOn !== true) expect(exitCode).toBe(1);
    if (goesOn !== true && isFirst) {
      const junit = await ctx(['check', 'f.jsonl', '--no-config', '--rules', 'cannot-go-on', '--format', 'junit'], {
        files,
      });
      expect(junit.stdout).toContain('<testcase name="cannot-go-on"');
    }
    if (fault in UNSEEN) {
      expect([goesOn, why]).toEqual([true, null]);
      return;
    }
    expect(goesOn).toBe(!isStuck(outcome));
    if (outcome !== 'goes on') expect(why).not.toBeNull();
    if (why !== null) expect(command).toMatch(fault in UNREPAIRED ? /^ctx prune / : /^ctx repair .* --install$/);
  });

  it('knows an outcome of each fault of each agent', () => {
    const known = readOutcomes();
    for (const [agent, faults] of Object.entries(BROKEN_SESSIONS))
      for (const fault of Object.keys(faults))
        expect([fault, Object.keys(known[fault] ?? {}).some((client) => client.startsWith(agent))]).toEqual([
          fault,
          true,
        ]);
  });
});
