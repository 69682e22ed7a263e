import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { type JsonOf, schemas } from '#cli/schemas.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { type LineSpan } from '../../../src/session/scan/lines.js';
import { Log } from '../../fixtures/log.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const WEATHER = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');

function cat(args: readonly string[], session: string | Uint8Array, world: World = {}): Promise<Ran> {
  return ctx(['cat', 's.jsonl', ...args], { ...world, files: { 's.jsonl': session } });
}

const TALK = new Log('talk')
  .user('u1', 'Which file?')
  .tool('t1', 'read', { path: 'a.ts' }, 'export {};')
  .assistant('a1', 'This one.', {
    usage: { input: 1200, output: 30, cacheRead: 4, cacheWrite: 5, totalTokens: 1239, cost: { total: 0.25 } },
  })
  .text();

describe('ctx cat', () => {
  it('prints an entry with where it stands and what was recorded', async () => {
    expect((await cat([], TALK)).stdout).toMatch(
      /^assistant {2}a1 {2}line 5, \d+ bytes, 2026-03-02T09:04:00\.000Z\nparent t1r\nrecorded 1,239 tokens: 1,200 in, 4 cache read, 5 cache write, 30 out, \$0\.25\n {2}This one\.\n$/,
    );
    const { stdout } = await cat(['HEAD~2'], TALK);
    expect(stdout).toContain('\n  read a.ts\n');
    expect((await cat(['HEAD~1'], TALK)).stdout).toMatch(
      /^toolResult read {2}t1r {2}line 4, [^\n]*\nparent t1\n {2}export \{\};\n$/,
    );
    expect((await cat(['u1'], TALK)).stdout).toContain('\nno parent\n');
  });

  it('separates thinking from the answer after it', async () => {
    const content = [
      { type: 'thinking', thinking: 'It may be a.ts.' },
      { type: 'text', text: 'This one.' },
      { type: 'text', text: 'Sure.' },
    ];
    const session = new Log('thought').user('u1', 'Which?').message('a1', { role: 'assistant', content }).text();
    const { stdout } = await cat([], session);
    expect(stdout).toContain('\n  thinking\n  It may be a.ts.\n  answer\n  This one.\n  Sure.\n');
    expect((await cat([], TALK)).stdout).not.toContain('answer');
  });

  it('prints texts in full', async () => {
    const text = 'word '.repeat(2000);
    expect((await cat([], new Log('long').user('u1', text).text())).stdout).toContain(text.trimEnd());
    const summary = new Log('long').user('u1', 'x').compaction('k1', text, 'u1').text();
    expect((await cat([], summary)).stdout).toContain(text.trimEnd());
  });

  it.each<[string, Log, readonly string[]]>([
    [
      'a prompt',
      new Log('x').message('s1', { role: 'system', content: '', sections: { rules: 'Be\nbrief.', plan: null } }),
      ['content: ""', 'sections.rules', '  Be\n  brief.', 'sections.plan: null'],
    ],
    [
      'a shell command',
      new Log('x').message('x1', { role: 'bashExecution', command: 'ls', output: 'a\nb', exitCode: 0 }),
      ['  $ ls\n  a\n  b'],
    ],
    [
      'a label',
      new Log('x').entry('l1', 'label', { targetId: 'u1', label: 'fixed' }),
      ['targetId: u1', 'label: fixed'],
    ],
    [
      'an edit',
      new Log('x').entry('e1', 'context_edit', { targetId: 'u1', replacement: { content: [{ type: 'text' }] } }),
      ['replacement\n', '"type": "text"'],
    ],
    ['a note', new Log('x').entry('c1', 'custom_message', { customType: 'n', content: 'a note' }), ['  a note']],
    ['an unknown type', new Log('x').entry('f1', 'future', { list: [1, 2] }), ['future', 'list', '1,\n']],
    ['no entry at all', new Log('x').raw('7'), ['unknown  no id  line 2']],
  ])('prints %s', async (_name, log, parts) => {
    const { stdout, exitCode } = await cat([], log.text());
    expect(exitCode).toBe(0);
    for (const part of parts) expect(stdout).toContain(part);
  });

  it('shows no control character', async () => {
    const log = new Log('red').message('x1', {
      role: 'bashExecution',
      command: '\u001b[31m',
      output: '\u0007\n\u009b',
    });
    expect((await cat([], log.text())).stdout).not.toMatch(/[\u001b\u0007\u009b]/);
  });

  it('prints a range', async () => {
    const { stdout } = await cat(['u1..HEAD', '--json'], TALK);
    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonOf<'entry'>);
    expect(entries.map(({ entryId }) => entryId)).toEqual(['t1', 't1r', 'a1']);
    expect((await cat(['t1..a1'], TALK)).stdout).toMatch(/^toolResult read[^]*\n\nassistant {2}a1/);
    expect(await cat(['a1..u1'], TALK)).toMatchObject({ exitCode: 0, bytes: Buffer.from('') });
  });

  it('prints a range that begins before the first entry, which a path does that begins with an answer', async () => {
    const answered = new Log('answered').assistant('a1', 'Hello.').user('u1', 'Hi.').text();
    expect((await cat(['@{request:1}..HEAD', '--raw'], answered)).stdout.split('\n')).toHaveLength(3);
  });

  it('prints the entry as version 3 has it, and where it stands', async () => {
    const { stdout } = await cat(['HEAD', '--json'], TALK);
    const report = JSON.parse(stdout) as JsonOf<'entry'>;
    expect(schemas.entry.safeParse(report)).toMatchObject({ success: true });
    const { offset, length, entry, ...rest } = report;
    expect(rest).toEqual({ schema: 'ctx/entry', schemaVersion: 1, entryId: 'a1', line: 5 });
    expect(JSON.parse(TALK.slice(offset, offset + length))).toEqual(entry);
    const old = '{"type":"session","id":"old"}\n{"type":"message","message":{"role":"user","content":"hi"}}\n';
    const first = JSON.parse((await cat(['--json'], old)).stdout) as JsonOf<'entry'>;
    expect(first.entry).toMatchObject({ id: first.entryId, parentId: null });
  });

  it('takes one argument for a revision unless it is a file', async () => {
    const file = '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02T09-00-00-000Z_abc.jsonl';
    const files = { [file]: WEATHER, fixed: TALK };
    const first = async (...args: string[]): Promise<string | undefined> =>
      /^\S+ +\S+/.exec((await ctx(['cat', ...args], { files })).stdout)?.[0];
    expect(await first()).toBe('ephemeral  e0f4d7b6');
    expect(await first('latest')).toBe('ephemeral  e0f4d7b6');
    expect(await first('c7a10e55')).toBe('context_transform  c7a10e55');
    expect(await first('fixed')).toBe('assistant  a1');
    expect(await first('latest', 'fixed')).toBe('assistant  c729368e');
    expect(await ctx(['cat', 'none.jsonl'], { files })).toMatchObject({ exitCode: 3 });
  });

  it('takes one argument for the id of another session', async () => {
    const folder = '/home/ada/.pi/agent/sessions/--home-ada-weather--';
    const old = `${folder}/2026-03-01T09-00-00-000Z_019bbe34-old.jsonl`;
    const newest = `${folder}/2026-03-02T09-00-00-000Z_019cdd00-new.jsonl`;
    const more = new Log('more').user('019bbe34-u', 'x').text();
    const files = { [old]: TALK, [newest]: WEATHER };
    const first = async (...args: string[]): Promise<string | undefined> =>
      /^\S+ +\S+/.exec((await ctx(['cat', ...args], { files })).stdout)?.[0];
    expect(await first('019bbe34')).toBe('assistant  a1');
    expect(await first('019bbe34', 'u1')).toBe('user  u1');
    for (const [name, exitCode, message] of [
      ['019', 3, 'session id "019" is ambiguous'],
      ['nowhere', 3, 'no file and no session id "nowhere"'],
      ['019bbe34~1', 2, 'no revision "019bbe34~1"'],
    ] as const)
      expect(await ctx(['cat', name], { files })).toMatchObject({
        exitCode,
        stderr: expect.stringContaining(message),
      });
    const own = await ctx(['cat', '019bbe34-u'], { files: { [old]: TALK, [newest]: more } });
    expect(own.stdout).toContain('019bbe34-u');
  });

  it.each([
    [['--raw', '--json'], '--raw and --format json cannot be used together'],
    [['--force'], '--force needs --raw'],
    [['nowhere'], 'no revision "nowhere"'],
  ])('refuses %j', async (args, message) => {
    expect(await cat(args, TALK)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });

  it('has nothing to print of a session without entries', async () => {
    expect(await cat([], new Log('none').text())).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('ctx cat --raw', () => {
  it.each(fixtures.map((file) => [path.relative(projectFolder, file), file]))('gives back %s', async (_name, file) => {
    const whole = readFileSync(file);
    const session = open(whole);
    if (!session) return;
    const { scan, tree } = session;
    const pieces: { span: LineSpan; bytes: Uint8Array }[] = [];
    for (const span of [scan.headerSpan, ...scan.repeatedHeaders, ...scan.blanks, ...scan.damaged])
      pieces.push({ span, bytes: whole.subarray(span.offset, span.offset + span.length) });
    for (const head of tree.heads) {
      const isNamed = typeof head.id === 'string' && tree.heads.entryOfIdAt(head.index) === head.index;
      const printed = isNamed ? (await cat([head.id, '--raw'], whole)).bytes : Buffer.concat([...session.bytes(head)]);
      pieces.push({ span: head, bytes: printed });
    }
    const inOrder = pieces.toSorted((a, b) => a.span.offset - b.span.offset);
    expect(Buffer.concat(inOrder.map(({ bytes }) => bytes)).equals(whole)).toBe(true);
  });

  it('prints a line of any length, and bytes that are no text', async () => {
    const line = (filling: Buffer): Buffer =>
      Buffer.concat([
        Buffer.from('{"type":"message","id":"u1","parentId":null,"message":{"role":"user","content":"'),
        filling,
        Buffer.from('"}}'),
      ]);
    for (const filling of [Buffer.alloc(1_000_000, 'naïve'), Buffer.from([0xff, 0xc3, 0x28])]) {
      const whole = Buffer.concat([Buffer.from('{"type":"session","version":3,"id":"s"}\n'), line(filling)]);
      expect(Buffer.from((await cat(['--raw'], whole)).bytes).equals(line(filling))).toBe(true);
    }
  });

  it('sends a terminal only what is safe there', async () => {
    const safe = new Log('safe').user('u1', '日本語\t"naïve"').text();
    expect(await cat(['--raw'], safe, { isTerminal: true })).toMatchObject({ exitCode: 0 });
    const long = new Log('long').user('u1', '語'.repeat(300_000)).text();
    expect(await cat(['--raw'], long, { isTerminal: true })).toMatchObject({ exitCode: 0 });
    for (const text of ['\u009b31m', '\u202e', '\u007f']) {
      const unsafe = new Log('unsafe').user('u1', text).text();
      const refused = await cat(['--raw'], unsafe, { isTerminal: true });
      expect(refused).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining('not safe in a terminal'),
      });
      expect((await cat(['--raw', '--force'], unsafe, { isTerminal: true })).stdout).toContain(text);
      expect((await cat(['--raw'], unsafe)).stdout).toContain(text);
    }
    const broken = Buffer.concat([Buffer.from(safe.slice(0, -4)), Buffer.from([0xff]), Buffer.from('"}}\n')]);
    expect((await cat(['--raw'], broken, { isTerminal: true })).exitCode).toBe(2);
  });
});

function open(whole: Uint8Array): ReturnType<typeof readSession> | null {
  try {
    return readSession(toByteSource(whole), 's.jsonl');
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
