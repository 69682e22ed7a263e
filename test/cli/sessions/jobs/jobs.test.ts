import { describe, expect, it } from 'vitest';
import { DEFAULT_CACHE_OPTIONS } from '#analysis/cache/options.js';
import { listAllColumns } from '#analysis/tables/index.js';
import { type Jobs, jobs, runJobsHere } from '#cli/sessions/jobs/jobs.js';
import { Log } from '../../../fixtures/log.js';
import { memoryFiles } from '../../../support/memory-io.js';

const files = memoryFiles({
  'a.jsonl': new Log('a').user('u1', 'What is the weather?').assistant('a1', 'Sunny.').text(),
  'none.jsonl': 'no session',
});

/** An input of each job that reads one file; a simulation is tried with its engines. */
const INPUTS = {
  summarize: (file) => file,
  stats: (file) => ({ files: [file], tokenizer: 'chars', baseline: {} }),
  usage: (file) => ({ files: [file] }),
  cache: (file) => ({ files: [file], options: DEFAULT_CACHE_OPTIONS, baseline: {} }),
  overhead: (file) => ({ files: [file], period: null, baseline: {} }),
  tables: (file) => ({ families: [[file]], wanted: listAllColumns(), packing: 'fast' }),
  words: (file) => file,
  mayHold: (file) => ({ file, literal: 'weather' }),
  check: (file) => ({ file, settings: { rules: [], requests: 'leaf', baseline: {} } }),
} satisfies { readonly [Name in Exclude<keyof Jobs, 'simulate'>]: (file: string) => Jobs[Name]['input'] };

const names = Object.keys(INPUTS) as (keyof typeof INPUTS)[];

describe('a job', () => {
  it('is tried here, whichever it is', () => {
    expect([...names, 'simulate'].toSorted()).toEqual(Object.keys(jobs).toSorted());
  });

  it.each(names)('gives plain data, which survives the way between threads: %s', async (name) => {
    const [result] = await runJobsHere(files, name, [INPUTS[name]('a.jsonl')] as never);
    expect(result).toMatchObject({ ok: true });
    expect(structuredClone(result)).toEqual(result);
  });

  it.each(['summarize', 'words'] as const)('that fails has its error as its result: %s', async (name) => {
    const results = await runJobsHere(files, name, ['none.jsonl', 'a.jsonl']);
    expect(results).toMatchObject([
      { ok: false, error: expect.stringContaining('not a session') as string },
      { ok: true },
    ]);
  });

  it.each(['stats', 'usage', 'cache', 'overhead'] as const)(
    'that reads a family goes on after a file that cannot be read: %s',
    async (name) => {
      const input = { ...INPUTS[name]('a.jsonl'), files: ['none.jsonl', 'a.jsonl'] };
      const [result] = await runJobsHere(files, name, [input] as never);
      expect(result).toMatchObject({
        ok: true,
        output: [
          { file: 'none.jsonl', ok: false },
          { file: 'a.jsonl', ok: true },
        ],
      });
    },
  );
});
