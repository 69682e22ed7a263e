import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWERED, HEADER, user } from '#analysis/check/example.js';
import { type Finding } from '#analysis/check/finding.js';
import { FindingRecorder, KnownFindingFilter } from '#analysis/check/known-findings.js';
import { toSessionKey } from '#cli/commands/check/known-findings.js';
import { schemas } from '#cli/schemas.js';
import { entry, lines } from '../../../support/entries.js';
import { ctx, type Ran } from '../../../support/memory-io.js';

const ORPHANS = lines(HEADER, ...ANSWERED, user('o1', 'gone', 'lost'), user('o2', 'gone', 'lost too'));
const TORN = lines(HEADER, ...ANSWERED, '{"torn');

/** Files that stay between runs, as on a disk. */
function disk(files: Record<string, string>): {
  readonly files: Record<string, string>;
  check(...flags: readonly string[]): Promise<Ran>;
} {
  return {
    files,
    async check(...flags) {
      const ran = await ctx(['check', ...flags], { files });
      for (const [name, content] of Object.entries(ran.files)) files[name] = Buffer.from(content).toString();
      return ran;
    },
  };
}

/** The number of errors that a run counts. */
async function errors(ran: Promise<Ran>): Promise<number> {
  const { stdout } = await ran;
  return schemas.check.parse(JSON.parse(stdout)).totals.errors;
}

describe('recorded findings', () => {
  it('do not count any more, new ones do', async () => {
    const { files, check } = disk({ 'a.jsonl': ORPHANS, 'b.jsonl': TORN });
    expect((await check('a.jsonl', 'b.jsonl')).exitCode).toBe(1);
    const written = await check('a.jsonl', 'b.jsonl', '--write-known', 'known.json');
    expect(written).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: '3 findings of 2 sessions recorded in known.json\n',
    });
    expect(schemas['known-findings'].safeParse(JSON.parse(files['known.json']!))).toMatchObject({ success: true });
    const clean = await check('a.jsonl', 'b.jsonl', '--known', 'known.json');
    expect(clean).toMatchObject({ exitCode: 0, stderr: '' });
    expect(clean.stdout).toContain('3 findings that are recorded');
    files['a.jsonl'] += lines(user('o3', 'gone', 'new'));
    const again = await check('a.jsonl', 'b.jsonl', '--known', 'known.json');
    expect(again.exitCode).toBe(1);
    expect(again.stdout).toContain('o3');
    expect(again.stdout).not.toMatch(/o1|o2|torn-tail/);
  });

  it('of a whole session are known again where only their numbers changed', async () => {
    const declared = entry('message', 's1', null, {
      message: { role: 'system', content: '', toolsAdded: [{ name: 'bash' }] },
    });
    const { files, check } = disk({ 'a.jsonl': lines(HEADER, declared, user('u1', 's1', 'hello')) });
    const config = (...tools: readonly string[]): string =>
      JSON.stringify({ rules: { 'max-file-size': ['error', { max: 10 }], 'required-tools': ['error', { tools }] } });
    files['/home/ada/weather/ctx.config.json'] = config('read');
    expect((await check('a.jsonl', '--write-known', 'known.json')).stdout).toContain('2 findings');
    files['a.jsonl'] += lines(user('more', 'u1', 'more'.repeat(500)));
    const known = ['a.jsonl', '--known', 'known.json', '--json'];
    expect(await errors(check(...known))).toBe(0);
    files['/home/ada/weather/ctx.config.json'] = config('edit');
    expect(await errors(check(...known))).toBe(1);
  });

  it('of a whole session are known by the message that earlier versions recorded', async () => {
    const { files, check } = disk({ 'a.jsonl': lines(HEADER, ...ANSWERED) });
    files['/home/ada/weather/ctx.config.json'] = JSON.stringify({ rules: { 'max-file-size': ['error', { max: 10 }] } });
    const size = Buffer.byteLength(files['a.jsonl'] ?? '');
    const message = `the file has ${size} bytes, more than the 10 bytes allowed`;
    const key = createHash('sha256')
      .update(JSON.stringify([null, message, null]))
      .digest('hex')
      .slice(0, 16);
    const findings = { 'max-file-size': { [`hash:${key}`]: 1 } };
    files['known.json'] = JSON.stringify({
      schema: 'ctx/known-findings',
      schemaVersion: 1,
      files: [{ file: 'a.jsonl', findings }],
    });
    expect(await errors(check('a.jsonl', '--known', 'known.json', '--json'))).toBe(0);
    files['a.jsonl'] += lines(user('more', 'a1', 'more'));
    expect(await errors(check('a.jsonl', '--known', 'known.json', '--json'))).toBe(1);
  });

  it('are known again where lines have moved, and in another session they are new', async () => {
    const { files, check } = disk({ 'a.jsonl': ORPHANS, 'b.jsonl': lines(HEADER, ...ANSWERED) });
    await check('a.jsonl', 'b.jsonl', '--write-known', 'known.json');
    files['a.jsonl'] = ORPHANS.replace('\n', '\n\n\n\n');
    expect(await errors(check('a.jsonl', '--known', 'known.json', '--json'))).toBe(0);
    files['b.jsonl'] = ORPHANS;
    expect(await errors(check('a.jsonl', 'b.jsonl', '--known', 'known.json', '--json'))).toBe(2);
  });

  it('that are gone are reported in one line', async () => {
    const { files, check } = disk({ 'a.jsonl': ORPHANS, 'b.jsonl': TORN });
    await check('a.jsonl', 'b.jsonl', '--write-known', 'known.json');
    files['a.jsonl'] = lines(HEADER, ...ANSWERED);
    const { exitCode, stderr } = await check('a.jsonl', '--known', 'known.json');
    expect(stderr).toBe('ctx: warning: known: 2 recorded findings are gone: record them again with --write-known\n');
    expect(exitCode).toBe(0);
    expect((await check('b.jsonl', '--known', 'known.json')).stderr).toBe('');
    expect((await check('a.jsonl', '--known', 'known.json', '--rules', 'file')).stderr).toBe('');
  });

  it('of other sessions and other rules stay when more is recorded', async () => {
    const { files, check } = disk({ 'a.jsonl': ORPHANS, 'b.jsonl': TORN, 'c.jsonl': ORPHANS + '{"torn' });
    await check('a.jsonl', '--write-known', 'known.json');
    const { stdout } = await check('b.jsonl', 'c.jsonl', '--rules', 'file', '--write-known', 'known.json');
    expect(stdout).toBe('2 findings of 2 sessions recorded in known.json, which holds 4 findings now\n');
    expect(await errors(check('c.jsonl', '--known', 'known.json', '--json'))).toBe(2);
    const asJson = await check('b.jsonl', '--write-known', 'known.json', '--json');
    expect(schemas['recorded-findings'].parse(JSON.parse(asJson.stdout))).toMatchObject({
      findings: 1,
      sessions: 1,
      total: 4,
    });
    await check('c.jsonl', '--rules', 'tree', '--write-known', 'known.json');
    expect(await errors(check('a.jsonl', 'b.jsonl', 'c.jsonl', '--known', 'known.json', '--json'))).toBe(0);
    files['c.jsonl'] = lines(HEADER, ...ANSWERED);
    await check('c.jsonl', '--write-known', 'known.json');
    expect(files['known.json']).not.toContain('c.jsonl');
  });

  it('can be named in the configuration, from its own folder', async () => {
    const { files, check } = disk({
      '/home/ada/weather/ctx.config.json': '{"baseline":"ci/known.json"}',
      'sessions/a.jsonl': ORPHANS,
    });
    await check('sessions/a.jsonl', '--write-known', 'ci/known.json');
    expect(files['ci/known.json']).toContain('"../sessions/a.jsonl"');
    expect((await check('sessions/a.jsonl')).exitCode).toBe(0);
    expect((await check('sessions/a.jsonl', '--no-config')).exitCode).toBe(1);
  });

  it('are written the same in any order of files', async () => {
    const { files, check } = disk({ 'a.jsonl': ORPHANS, 'b.jsonl': TORN });
    await check('a.jsonl', 'b.jsonl', '--write-known', 'one.json');
    await check('b.jsonl', 'a.jsonl', '--write-baseline', 'two.json');
    expect(files['two.json']).toBe(files['one.json']);
  });

  it.each([
    ['{', 'this is no file of recorded findings: known.json: name another file, or remove this one'],
    ['{"schema":"ctx/known-findings","schemaVersion":1}', 'this is no file of recorded findings'],
    [
      '{"schema":"ctx/known-findings","schemaVersion":2,"files":[]}',
      'were written by a newer version of ctx: known.json: update ctx',
    ],
    [
      '{"parts":[]}',
      'this is no file of recorded findings: known.json: what sessions do not record is "contextBaseline"',
    ],
    ['[]', 'this is no file of recorded findings'],
    ['null', 'this is no file of recorded findings'],
  ])('that a file holding %s does not hold are a mistake, and it is not written over', async (text, said) => {
    const { files, check } = disk({ 'a.jsonl': ORPHANS, 'known.json': text });
    for (const flag of ['--known', '--write-known']) {
      const { exitCode, stderr } = await check('a.jsonl', flag, 'known.json');
      expect(stderr).toContain(said);
      expect(exitCode).toBe(2);
    }
    expect(files['known.json']).toBe(text);
  });

  it('of a file that cannot be read are not taken for gone', async () => {
    const { files, check } = disk({ 'a.jsonl': ORPHANS, 'b.jsonl': TORN });
    await check('a.jsonl', 'b.jsonl', '--write-known', 'known.json');
    files['a.jsonl'] = '';
    const { stderr, stdout } = await check('a.jsonl', 'b.jsonl', '--write-known', 'known.json');
    expect(stderr).toContain('a.jsonl was not recorded: the file is empty');
    expect(stdout).toBe('1 finding of 1 session recorded in known.json, which holds 3 findings now\n');
  });
});

const finding: fc.Arbitrary<Finding> = fc.record({
  rule: fc.constantFrom('orphan', 'cycle', '__proto__'),
  severity: fc.constantFrom('error', 'warning', 'note'),
  message: fc.constantFrom('one', 'two'),
  line: fc.nat(9),
  entryId: fc.constantFrom(null, 'u1', 'u2', '__proto__', '*', 'x'.repeat(100), 'y'.repeat(100)),
  offset: fc.constant(null),
  length: fc.constant(null),
  place: fc.constantFrom(null, 'message'),
  fix: fc.constant(null),
  related: fc.constant([]),
});

describe('what is recorded', () => {
  const RAN = new Set(['orphan', 'cycle', '__proto__']);
  const recorded = (findings: readonly Finding[]): ReturnType<FindingRecorder['findings']> => {
    const recorder = new FindingRecorder();
    for (const one of findings) recorder.add(one);
    return JSON.parse(JSON.stringify(recorder.findings())) as ReturnType<FindingRecorder['findings']>;
  };
  const isCounted = ({ severity }: Finding): boolean => severity !== 'note';

  it('is taken out again, whatever the order, and nothing else is', () => {
    fc.assert(
      fc.property(fc.array(finding), fc.array(finding), fc.integer(), (old, added, seed) => {
        const sieve = new KnownFindingFilter(recorded(old));
        const shuffled = [...old].toSorted((a, b) => (((a.line ?? 0) * seed) % 7) - (((b.line ?? 0) * seed) % 7));
        expect(shuffled.filter((one) => !sieve.takes(one)).every((one) => !isCounted(one))).toBe(true);
        expect(added.some((one) => sieve.takes(one))).toBe(false);
        expect(sieve.result(RAN)).toEqual({ met: old.filter(isCounted).length, gone: 0 });
      }),
    );
  });

  it('is gone where it is not met again', () => {
    fc.assert(
      fc.property(fc.array(finding), fc.nat(20), (old, kept) => {
        const sieve = new KnownFindingFilter(recorded(old));
        const left = old.slice(0, kept).filter((one) => sieve.takes(one)).length;
        expect(sieve.result(RAN)).toEqual({ met: left, gone: old.filter(isCounted).length - left });
        expect(sieve.result(new Set()).gone).toBe(0);
      }),
    );
  });

  it('is only a number for a rule that finds very much', () => {
    const many = Array.from({ length: 5000 }, (_, at): Finding => ({
      rule: 'orphan',
      severity: 'error',
      message: 'its parent is gone',
      line: at,
      entryId: `e${at}`,
      offset: null,
      length: null,
      place: null,
      fix: null,
      related: [],
    }));
    expect(recorded(many)).toEqual({ orphan: { '*': 5000 } });
    const sieve = new KnownFindingFilter(recorded(many));
    expect([...many, ...many.slice(0, 3)].filter((one) => !sieve.takes(one))).toHaveLength(3);
  });
});

it('a session is named from the folder of the file of findings', () => {
  const io = { cwd: '/home/ada' };
  expect(toSessionKey(io, 'ci/known.json', 'sessions/a.jsonl')).toBe('../sessions/a.jsonl');
  expect(toSessionKey(io, '/home/ada/known.json', '/home/ada/sessions/a.jsonl')).toBe('sessions/a.jsonl');
  expect(toSessionKey(io, 'known.json', '-')).toBe('-');
});
