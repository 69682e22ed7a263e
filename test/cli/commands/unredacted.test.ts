import { describe, expect, it } from 'vitest';
import { MaskedValues } from '#cli/commands/redact/masked-values.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';
import { diceOf } from '../../support/seeded-secrets.js';

const dice = diceOf(7);
const [one, other] = [`ghp_${dice('A-Za-z0-9', 36)}`, `glpat-${dice('A-Za-z0-9', 20)}`];
const keys = (id: string, ...secrets: readonly string[]): string =>
  new Log(id)
    .user('u1', `first ${secrets.join(' and ')}`)
    .user('u2', `again ${secrets.join(', ')}`)
    .text();
const files = { 'in/a.jsonl': keys('a', one, other), 'in/b.jsonl': keys('b', one), 'clean/c.jsonl': keys('c') };

describe('a file to pass on', () => {
  it.each([
    ['report in/a.jsonl -o r.html', 'the session contains 2 secrets, 1 user name in paths'],
    ['report in -o site', 'the folder contains 2 secrets, 1 user name in paths'],
    ['export in/b.jsonl --format markdown', 'the session contains 1 secret'],
    ['export in/a.jsonl --format openai-chat --model gpt-5.1 -o r.json', 'the session contains 2 secrets'],
  ])('ctx %s warns with the number of secrets, and how to replace them', async (line, told) => {
    const ran = await ctx(line.split(' '), { files });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(`warning: secrets: ${told}: add --redact before you share this`);
    const redacted = await ctx([...line.split(' '), '--redact'], { files });
    expect(redacted.exitCode, redacted.stderr).toBe(0);
    expect(redacted.stderr).not.toContain('warning');
    const written = Object.entries(redacted.files).filter(([name]) => !name.startsWith('in/'));
    for (const text of [redacted.stdout, ...written.map(([, bytes]) => String(bytes))]) expect(text).not.toContain(one);
  });

  it('brings no warning without a secret', async () => {
    expect((await ctx('export clean/c.jsonl'.split(' '), { files })).stderr).toBe('');
    const [session, folder] = ['report clean/c.jsonl -o r.html', 'report clean -o site'];
    for (const [line, what] of [
      [session, 'session'],
      [folder, 'folder'],
    ] as const) {
      const { stderr } = await ctx(line.split(' '), { files });
      expect(stderr).toContain(`the ${what} contains 1 user name in paths: add --redact before you share this`);
    }
  });
});

describe('--redact of a file to pass on', () => {
  const talk = new Log('p')
    .user('u1', `Ask ada@example.org, the key is ${one}.`)
    .user('u2', 'It is in /home/ada/weather, not in /home/bob.')
    .text();
  const name = '/home/ada/.pi/p.jsonl';
  const world = { files: { [name]: talk }, home: '/home/ada', cwd: '/home/ada' };

  it.each([
    [['report', name, '-o', 'r.html'], 'r.html'],
    [['report', '/home/ada/.pi', '-o', 'index.html'], 'index.html'],
    [['export', name, '--format', 'markdown', '-o', 'r.md'], 'r.md'],
    [['export', name, '--format', 'json', '-o', 'r.json'], 'r.json'],
  ])('masks people too, and says so: %j', async (argv, output) => {
    const plain = await ctx(argv, world);
    expect(String(plain.files[output])).toMatch(/home\/ada\b/);
    const ran = await ctx([...argv, '--redact'], world);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('ctx: masked: 1 secret, 1 e-mail address and 2 user names in paths\n');
    const text = String(ran.files[output]);
    for (const word of ['ada@example', one, 'home/ada', 'home/bob']) expect(text).not.toContain(word);
  });

  it('prints the names of files as they are', async () => {
    const { stdout } = await ctx(['report', name, '-o', '/home/ada/r.html', '--redact'], world);
    expect(stdout).toMatch(/^\/home\/ada\/r\.html: /);
  });

  it('of other commands masks secrets only', async () => {
    const { stdout } = await ctx(['show', name, '--conversation', '--redact'], world);
    expect(stdout).toContain('ada@example.org');
    expect(stdout).not.toContain(one);
  });
});

describe('ctx redact', () => {
  const talk = new Log('p').user('u1', 'Ask ada@example.org in /home/ada/weather.').text();
  const world = { files: { 'p.jsonl': talk } };

  it('warns with the number of people that its copy names', async () => {
    const ran = await ctx(['redact', 'p.jsonl', '-o', 'new.jsonl'], world);
    expect(ran.stderr).toContain(
      'warning: personal: the copy keeps 1 e-mail address and 1 user name in paths: --personal replaces them',
    );
    expect(String(ran.files['new.jsonl'])).toContain('ada@example.org');
  });

  it('replaces them with --personal', async () => {
    const ran = await ctx(['redact', 'p.jsonl', '-o', 'new.jsonl', '--personal'], world);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toContain('2 values in ');
    expect(String(ran.files['new.jsonl'])).toContain(
      'Ask [REDACTED:e-mail-address:1] in /home/[REDACTED:user:1]/weather.',
    );
    const { exitCode } = await ctx(['redact', 'p.jsonl', '--install', '--personal'], world);
    expect(exitCode).toBe(2);
  });
});

describe('ctx extract', () => {
  it('takes the last entry after the session, like the other commands', async () => {
    const toOf = async (...argv: readonly string[]): Promise<unknown> => {
      const { stdout } = await ctx(['extract', ...argv, '--dry-run', '--json'], { files });
      return (JSON.parse(stdout) as { readonly to: unknown }).to;
    };
    expect(await toOf('in/a.jsonl', 'HEAD~1')).toBe('u1');
    expect(await toOf('in/a.jsonl', '--to', 'HEAD~1')).toBe('u1');
    expect(await toOf('in/a.jsonl')).toBe('u2');
    const written = await ctx(['extract', 'in/a.jsonl', 'u1', '-o', 'a new.jsonl'], { files });
    expect(written.stdout).toMatch(/\nresume: pi --session 'a new\.jsonl'\n$/);
    const both = await ctx(['extract', 'in/a.jsonl', 'u1', '--to', 'u2', '--dry-run'], { files });
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cannot be used together') });
  });
});

it('a secret counts whatever the user calls it', () => {
  const masked = new MaskedValues();
  masked.add({ kind: 'constructor', placeholder: '[REDACTED:constructor:1]' });
  expect(masked.describe()).toBe('masked: 1 secret');
});
