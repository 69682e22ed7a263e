import { describe, expect, it } from 'vitest';
import { minutesFlag } from '#cli/commands/flags.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';

const KEY = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const TALK = new Log('talk')
  .user('u1', `Use the key ${KEY} please, please.`)
  .assistant('a1', `I use the key ${KEY}.`, {
    usage: { input: 1200, output: 30, cacheRead: 0, cacheWrite: 0, totalTokens: 1230, cost: { total: 0.25 } },
  })
  .compaction('k1', 'All was said.', 'a1')
  .user('u2', 'And now?')
  .assistant('a2', 'Done.')
  .text();
const OPS = JSON.stringify([
  { op: 'system_part_set', scope: 'cached', partName: 'rules', text: 'Be brief.', invalidateCacheReason: 'rules' },
]);
const files = { 's.jsonl': TALK, 'p.json': OPS };

describe('one flag for one thing', () => {
  it('limits the output of log and grep with -n, and of grep with -m too', async () => {
    expect((await ctx(['log', 's.jsonl', '-n', '1', '--json'], { files })).stdout.trim().split('\n')).toHaveLength(1);
    const expected = await ctx(['grep', 'please', 's.jsonl', '--max', '1'], { files });
    for (const flag of ['-n', '-m'])
      expect(await ctx(['grep', 'please', 's.jsonl', flag, '1'], { files })).toMatchObject({ stdout: expected.stdout });
  });

  it.each(['redact', 'extract', 'apply s.jsonl p.json', 'compact --keep-recent 1', 'revert s.jsonl k1', 'repair'])(
    'writes with -o: ctx %s',
    async (line) => {
      const [name = '', ...words] = line.split(' ');
      const session = words.includes('s.jsonl') ? [] : ['s.jsonl'];
      const ran = await ctx([name, ...session, ...words, '-o', 'new.jsonl'], { files });
      expect(ran.stderr).not.toContain('unknown option');
      if (ran.exitCode === 0) expect(ran.files['new.jsonl']).toBeDefined();
    },
  );

  it('explains a patch with -m', async () => {
    const ran = await ctx(['apply', 's.jsonl', 'p.json', '-m', 'Why', '-o', 'n.jsonl'], { files });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(String(ran.files['n.jsonl'])).toContain('"summary":"Why"');
  });

  it('carries out a plan with ctx apply FILE, which explains itself', async () => {
    const saved = await ctx(['apply', 's.jsonl', 'p.json', '--dry-run', '--json'], { files });
    const planned = { ...files, 'plan.json': saved.stdout, '-': saved.stdout };
    for (const file of ['plan.json', '-']) {
      const ran = await ctx(['apply', file, '--yes'], { files: planned });
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
      expect(String(ran.files['s.jsonl'])).toContain('Be brief.');
    }
    expect(await ctx(['apply', 'plan.json', '-m', 'x'], { files: planned })).toMatchObject({ exitCode: 2 });
  });

  it.each([
    ['90s', 1.5],
    ['5m', 5],
    ['5', 5],
    ['1h', 60],
    ['1.5h', 90],
    ['1d', 1440],
  ])('takes the duration %s', (raw, expected) => {
    expect(minutesFlag('').parse(raw)).toBeCloseTo(expected, 9);
  });

  it.each(['', 'm', '5 m', '5x', '-5m'])('refuses the duration %j', (raw) => {
    expect(() => minutesFlag('').parse(raw)).toThrow('for DURATION');
  });
});

describe('--redact', () => {
  it.each(['check', 'explore', 'repair'])('is refused by ctx %s, with the command that writes a copy', async (name) => {
    const { exitCode, stderr } = await ctx([name, 's.jsonl', '--redact'], { files: { 's.jsonl': '' } });
    expect([exitCode, stderr]).toEqual([
      2,
      "ctx: unknown option '--redact': write a redacted copy first: ctx redact SESSION --output NEW\n",
    ]);
  });

  it.each([
    'status s.jsonl --limit 100k',
    'status s.jsonl --history --limit 100k --each',
    'engine run s.jsonl --budget 100k --full',
    'prune s.jsonl --limit 1k --dry-run',
    'compact s.jsonl --keep-recent 1 --dry-run',
    'revert s.jsonl k1 --dry-run',
  ])('hides secrets in ctx %s', async (line) => {
    const { exitCode, stdout, stderr } = await ctx([...line.split(' '), '--redact'], { files });
    expect(stderr).not.toMatch(/unknown option|needs/);
    expect(exitCode).toBeLessThan(2);
    expect(stdout).not.toContain(KEY);
  });

  it.each(['prune s.jsonl', 'compact s.jsonl', 'revert s.jsonl k1'])(
    'needs --dry-run in ctx %s, which writes',
    async (line) => {
      const { exitCode, stderr } = await ctx([...line.split(' '), '--redact'], { files });
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: 'ctx: --redact needs --dry-run: add --dry-run\n' });
    },
  );
});
