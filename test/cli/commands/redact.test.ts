import { describe, expect, it } from 'vitest';
import { Log } from '../../fixtures/log.js';
import { HEADER, lines, TALK, user } from '../../support/entries.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { diceOf } from '../../support/seeded-secrets.js';

const TOKEN = `ghp_${diceOf(3)('A-Za-z0-9', 36)}`;
const SECRET = user('u9', 'a2', `use ${TOKEN}, not hunter-two`);
const SESSION = `${JSON.stringify(HEADER)}\n${lines(...TALK, SECRET)}`;

function redact(args: readonly string[], world: World = {}): Promise<Ran> {
  return ctx(['redact', 's.jsonl', ...args], { ...world, files: { 's.jsonl': SESSION, ...world.files } });
}

/** The new file, as text. */
function written({ files }: Ran): string {
  return Buffer.from(files['new.jsonl'] ?? '').toString();
}

/** The folder of the session names its user. */
const KEEPS = 'ctx: warning: personal: the copy keeps 1 user name in paths: --personal replaces them\n';

describe('ctx redact', () => {
  it('writes a new file, and says what it replaced without showing it', async () => {
    const ran = await redact(['--output', 'new.jsonl']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: KEEPS });
    expect(written(ran)).toBe(SESSION.replace(TOKEN, '[REDACTED:github-token:1]'));
    expect(ran.stdout).toContain('[REDACTED:github-token:1]  GitHub token ghp_… (40 characters), 1 place\n');
    expect(ran.stdout).toContain('1 secret in 1 place');
    expect(ran.stdout).not.toContain(TOKEN);
    expect(ran.files['s.jsonl']).toBe(SESSION);
  });

  it('says the same as data', async () => {
    const ran = await redact(['--output', 'new.jsonl', '--json']);
    expect(JSON.parse(ran.stdout)).toEqual({
      schema: 'ctx/redaction',
      schemaVersion: 1,
      file: 's.jsonl',
      output: 'new.jsonl',
      oldSize: SESSION.length,
      newSize: written(ran).length,
      replaced: 1,
      values: 1,
      kept: 0,
      damagedLines: 0,
      replacements: [
        {
          line: 6,
          entryId: 'u9',
          place: 'message.content',
          rule: 'GitHub token',
          masked: 'ghp_… (40 characters)',
          placeholder: '[REDACTED:github-token:1]',
        },
      ],
    });
  });

  it('counts the places of a secret in many places by the member that holds it', async () => {
    const log = new Log('s');
    for (let turn = 0; turn < 11; turn += 1) log.user(`u${turn}`, `Use ${TOKEN}`);
    const ran = await ctx(['redact', 's.jsonl', '--dry-run'], { files: { 's.jsonl': log.text() } });
    expect(ran.stdout).toMatch(/ {2}GitHub token .*, 11 places\n {2}(text|content) 11; --json lists them\n/);
    expect(ran.stdout).not.toContain('message.content');
  });

  it('writes nothing with --dry-run', async () => {
    const ran = await redact(['--dry-run', '--output', 'new.jsonl']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('6  u9        message.content\n');
    expect(ran.stdout).toContain('nothing was written');
    expect(Object.keys(ran.files)).toEqual(['s.jsonl']);
  });

  it('refuses to be told nothing, to replace a file, and to replace the session', async () => {
    expect(await redact([])).toMatchObject({ exitCode: 2 });
    expect(await redact(['--output', 'new.jsonl'], { files: { 'new.jsonl': '' } })).toMatchObject({ exitCode: 4 });
    expect(await redact(['--output', 's.jsonl', '--force'])).toMatchObject({ exitCode: 4 });
    const forced = await redact(['--output', 'new.jsonl', '--force'], { files: { 'new.jsonl': '' } });
    expect(written(forced)).toContain('[REDACTED');
  });

  it('refuses what is no session', async () => {
    const ran = await redact(['--output', 'new.jsonl'], { files: { 's.jsonl': `{"key":"${TOKEN}"}\n` } });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(ran.stderr).not.toContain(TOKEN);
  });

  it('exits with 1 where damaged lines were replaced', async () => {
    const ran = await redact(['--output', 'new.jsonl'], { files: { 's.jsonl': `${SESSION}{"torn` } });
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toContain('1 damaged line replaced whole: ctx repair may get back what they hold');
    expect(written(ran)).toMatch(/\n\[REDACTED:damaged-line:1\]$/);
  });

  it('exits with 1 where a value stays in an id', async () => {
    const ran = await redact(['--output', 'new.jsonl', '--values', 'v.txt'], { files: { 'v.txt': 'the-session\n' } });
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toContain('stays: value th… (11 characters), 1 place');
    expect(written(ran)).toContain('"id":"the-session"');
  });

  it('exits with 1 where a token stays in a type', async () => {
    const odd = JSON.stringify({ type: TOKEN, id: 'u9', parentId: 'a2', timestamp: HEADER.timestamp });
    const session = `${JSON.stringify(HEADER)}\n${lines(...TALK)}${odd}\n`;
    const ran = await redact(['--output', 'new.jsonl'], { files: { 's.jsonl': session } });
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toContain('stays: GitHub token ghp_… (40 characters), 1 place');
    expect(written(ran)).toBe(session);
  });

  it('says of a session without secrets that there are none', async () => {
    const ran = await redact(['--output', 'new.jsonl'], { files: { 's.jsonl': SESSION.replace(TOKEN, '') } });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('no secret was found');
    expect(written(ran)).toBe(SESSION.replace(TOKEN, ''));
  });
});

describe('ctx redact --values', () => {
  it.each([
    ['lines', 'other-value\r\n\r\nhunter-two\r\n', 'value'],
    ['lines with spaces around them', ' hunter-two\t \nother-value', 'value'],
    ['a list', '["hunter-two"]', 'value'],
    ['an object', '\n{"data base": "hunter-two"}', 'data-base'],
  ])('reads %s', async (_name, text, kind) => {
    const ran = await redact(['--output', 'new.jsonl', '--values', 'v'], { files: { v: text } });
    expect(written(ran)).toContain(`not [REDACTED:${kind}:1]`);
  });

  it.each([
    ['abc', 2],
    ['', 2],
    ['   abc\n', 2],
    ['["abc"]', 2],
    ['["hunter-two"', 3],
    ['{"name": 12345678}', 3],
    ['x'.repeat(70_000), 2],
  ])('refuses %j, and does not quote it', async (text, exitCode) => {
    const ran = await redact(['--output', 'new.jsonl', '--values', 'v'], { files: { v: text } });
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stderr).not.toMatch(/abc|hunter|1234|xxx/);
  });
});

describe('ctx redact --env', () => {
  const env = { MY_TOKEN: 'hunter-two', MY_OTHER: 'use', TOKEN: '', X_TOKEN_X: 'question u1' };

  it.each([
    ['MY_TOKEN', '[REDACTED:my-token:1]'],
    ['*_TOKEN', '[REDACTED:my-token:1]'],
    ['MY_*', '[REDACTED:my-token:1]'],
    ['M*_*EN', '[REDACTED:my-token:1]'],
    ['*', '[REDACTED:my-token:1]'],
    ['*_X', '[REDACTED:x-token-x:1]'],
  ])('%s is looked for', async (name, placeholder) => {
    expect(written(await redact(['--output', 'new.jsonl', '--env', name], { env }))).toContain(placeholder);
  });

  it.each(['MY_TOKE', '*TOKE', 'MY_TOKEN*MY_TOKEN', 'MY_*_TOKEN'])('%s does not mean MY_TOKEN', async (name) => {
    const ran = await redact(['--output', 'new.jsonl', '--env', name], { env });
    expect(ran.stdout + written(ran)).not.toContain('my-token');
  });

  it('warns of a pattern that matches no value, and of no other', async () => {
    const flags = ['--env', '*_TOKEN', '--env', 'NOPE_*', '--env', '*_OTHER'];
    const ran = await redact(['--output', 'new.jsonl', ...flags], { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(written(ran)).toContain('[REDACTED:my-token:1]');
    const problem = '2 problems, the first: --env NOPE_* matches no value to look for';
    expect(ran.stderr).toBe(`ctx: warning: unmatched-env: ${problem}\n${KEEPS}`);
  });

  it.each(['TOKEN', 'NONE', 'MY_OTHER'])('%s is refused, since there is nothing to look for', async (name) => {
    expect(await redact(['--output', 'new.jsonl', '--env', name], { env })).toMatchObject({ exitCode: 2 });
  });
});

describe('ctx redact --pattern', () => {
  it('replaces what it matches', async () => {
    const ran = await redact(['--output', 'new.jsonl', '--pattern', 'not (?<secret>\\S+)', '--pattern', 'question']);
    expect(written(ran)).toContain('not [REDACTED:pattern:2]');
    expect(written(ran)).toContain('[REDACTED:pattern:1] u1');
    expect(written(ran)).not.toContain('question');
  });

  it('counts one character as one', async () => {
    const { stdout } = await redact(['--output', 'new.jsonl', '--pattern', 'q']);
    expect(stdout).toContain('[REDACTED:pattern:1]  pattern … (1 character), ');
  });

  it('refuses what is none, and names no flag that there is not', async () => {
    const { exitCode, stderr } = await redact(['--output', 'new.jsonl', '--pattern', '(']);
    expect([exitCode, stderr]).toEqual([
      2,
      'ctx: "(" is not a valid regular expression: Unterminated group: repair the expression, or name the text itself with --values\n',
    ]);
  });

  it('refuses one that matches nothing', async () => {
    const { exitCode, stderr } = await redact(['--output', 'new.jsonl', '--pattern', '']);
    expect([exitCode, stderr]).toEqual([2, 'ctx: an empty pattern matches nothing: --pattern: leave it out\n']);
  });
});
