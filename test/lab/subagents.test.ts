import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContextEngine, SpawnParams } from '#lab/contract.js';
import { engine } from '../support/engines.js';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';
import { pluginsHere } from '../support/plugins.js';

const names = ['lead', 'notes', 'review', 'scout', 'search'];
const files = Object.fromEntries(
  names.map((name) => [
    `sessions/${name}.jsonl`,
    readFileSync(path.join(projectFolder, `fixtures/family/${name}.jsonl`), 'utf8'),
  ]),
);

interface Told {
  readonly log: readonly string[];
  readonly spawns: readonly SpawnParams[];
}

/** What an engine is told of the subagents in a folder. */
async function told(argv: readonly string[], own: Partial<ContextEngine> = {}): Promise<Told> {
  const log: string[] = [];
  const spawns: SpawnParams[] = [];
  const hears: Partial<ContextEngine> = {
    prepareSubagentSpawn: async (params) => {
      spawns.push(params);
      log.push(`prepare ${params.childSessionKey}`);
      return { rollback: () => void log.push(`rollback ${params.childSessionKey}`) };
    },
    onSubagentEnded: async ({ childSessionKey, reason }) => void log.push(`${reason} ${childSessionKey}`),
    ...own,
  };
  const startPlugin = pluginsHere({ 'engine.ts': engine(hears), './engine.ts': engine(hears) });
  const world = { files: { ...files, 'engine.ts': '', './engine.ts': '' }, startPlugin };
  const ran = await ctx([...argv, '--no-config'], world);
  expect(ran).toMatchObject({ exitCode: 0 });
  return { log, spawns };
}

const RUN = ['engine', 'run', 'sessions/lead.jsonl', '--engine', 'engine.ts'];

describe('the subagents in the folder of a session', () => {
  it('are prepared when they began, and end as their sessions do', async () => {
    const { log } = await told(RUN);
    expect(log).toEqual([
      'prepare family-notes',
      'completed family-notes',
      'prepare family-review',
      'prepare family-scout',
      'rollback family-scout',
      'prepare family-search',
      'completed family-review',
      'released family-search',
    ]);
  });

  it('are swept once ttlMs is over, and deleted by a host that keeps none', async () => {
    const { log, spawns } = await told([...RUN, '--set', 'ttlMs=60000']);
    expect(log.filter((line) => line.startsWith('swept'))).toHaveLength(3);
    expect(spawns.map(({ ttlMs }) => ttlMs)).toEqual(Array(4).fill(60_000));
    const kept = await told([...RUN, '--set', 'cleanup=delete']);
    expect(kept.log.filter((line) => line.startsWith('deleted'))).toEqual([
      'deleted family-notes',
      'deleted family-review',
    ]);
  });

  it('are known by their keys, and fork where they share entries', async () => {
    const { spawns } = await told([...RUN, '--set', 'sessionKey=agent:main']);
    expect(spawns.map(({ parentSessionKey }) => parentSessionKey)).toEqual(Array(4).fill('agent:main'));
    expect(spawns.map(({ contextMode }) => contextMode)).toEqual(['isolated', 'fork', 'isolated', 'isolated']);
    expect(spawns.map(({ childSessionId }) => childSessionId)).toEqual(names.slice(1).map((name) => `family-${name}`));
  });

  it('can be read by the engine as they were when they began', async () => {
    const seen: number[] = [];
    const own: Partial<ContextEngine> = {
      prepareSubagentSpawn: async ({ childSessionFile }) =>
        void seen.push(files[childSessionFile ?? '']?.split('\n').length ?? readLines(childSessionFile)),
    };
    await told(RUN, own);
    // The header, and the four entries that the fork shares.
    expect(seen).toEqual([1, 5, 1, 1]);
  });

  it('are told of by engine check, beside the invented ones, and by simulate', async () => {
    const { log } = await told(['engine', 'check', 'engine.ts', 'sessions/lead.jsonl']);
    for (const reason of ['completed', 'deleted', 'swept', 'released'])
      expect(log.some((line) => line.startsWith(`${reason} check-`))).toBe(true);
    expect(log).toContain('rollback check-5');
    expect(log).toContain('released family-search');
    const simulated = await told(['simulate', 'sessions/lead.jsonl', '--engine', './engine.ts']);
    expect(simulated.log).toContain('released family-search');
  });
});

function readLines(file: string | undefined): number {
  return file === undefined ? 0 : readFileSync(file, 'utf8').trimEnd().split('\n').length;
}

describe('--set', () => {
  it.each([
    [['sessionKeys=x'], 'the host has no value "sessionKeys"'],
    [['sessionKey'], '"sessionKey" is not KEY=VALUE: --set: write sessionKey=KEY'],
    [['ttlMs=soon'], 'write ttlMs=MILLISECONDS'],
    [['citationsMode=maybe'], 'citationsMode'],
    [['isHeartbeat=('], 'write isHeartbeat=true, false or a regular expression'],
    [['cleanup=now'], 'cleanup'],
  ])('refuses %s', async (values, message) => {
    const flags = values.flatMap((value) => ['--set', value]);
    const { exitCode, stderr } = await ctx([...RUN.slice(0, 3), '--engine', 'none', ...flags], { files });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('gives the engine each field of the contract', async () => {
    const heard: Record<string, unknown> = {};
    const own: Partial<ContextEngine> = {
      bootstrap: async ({ sessionKey }) => {
        heard['bootstrap'] = sessionKey;
        return { bootstrapped: true };
      },
      ingest: async ({ isHeartbeat, message }) => {
        if (isHeartbeat && message.role === 'user') heard['heartbeat'] = message['content'];
        return { ingested: false };
      },
      compact: async ({ customInstructions, sessionKey }) => {
        heard['compact'] = `${sessionKey}: ${customInstructions}`;
        return { ok: true, compacted: false };
      },
      assemble: async ({ messages, citationsMode }) => {
        heard['citations'] = citationsMode;
        return { messages, estimatedTokens: 0 };
      },
    };
    const values = ['sessionKey=main', 'customInstructions=Keep paths.', 'citationsMode=off', 'isHeartbeat=^What'];
    const flags = values.flatMap((value) => ['--set', value]);
    // Every request is over the budget, so that it compacts.
    const startPlugin = pluginsHere({ 'engine.ts': engine(own) });
    await ctx([...RUN, '--budget', '5', '--no-config', ...flags], {
      files: { ...files, 'engine.ts': '' },
      startPlugin,
    });
    expect(heard).toEqual({
      bootstrap: 'main',
      heartbeat: 'What did the review say?',
      compact: 'main: Keep paths.',
      citations: 'off',
    });
  });
});
