import { describe, expect, it } from 'vitest';
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
    ['report in/a.jsonl -o r.html', 'the session contains 2 secrets'],
    ['report in -o site', 'the folder contains 2 secrets'],
    ['export in/b.jsonl --format markdown', 'the session contains 1 secret'],
    ['export in/a.jsonl --format openai-chat --model gpt-5.1 -o r.json', 'the session contains 2 secrets'],
  ])('ctx %s warns with the number of secrets, and how to replace them', async (line, told) => {
    const ran = await ctx(line.split(' '), { files });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(`warning: secrets: ${told}: add --redact before you share this`);
    const redacted = await ctx([...line.split(' '), '--redact'], { files });
    expect(redacted.exitCode, redacted.stderr).toBe(0);
    expect(redacted.stderr).not.toContain('secrets');
    const written = Object.entries(redacted.files).filter(([name]) => !name.startsWith('in/'));
    for (const text of [redacted.stdout, ...written.map(([, bytes]) => String(bytes))]) expect(text).not.toContain(one);
  });

  it('brings no warning without a secret', async () => {
    for (const line of ['report clean/c.jsonl -o r.html', 'report clean -o site', 'export clean/c.jsonl'])
      expect((await ctx(line.split(' '), { files })).stderr).toBe('');
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
