import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { listFormats } from '#cli/arguments/command-flags.js';
import { loadCommands } from '#cli/commands/index.js';
import { Log } from '../fixtures/log.js';
import { projectFolder } from '../support/files.js';
import { ctx, type Ran, type World } from '../support/memory-io.js';
import { secretSession } from '../support/secret-session.js';
import { diceOf } from '../support/seeded-secrets.js';

const { text, tokens } = secretSession();
const NAME = `ghp_${diceOf(9)('A-Za-z0-9', 36)}`;
const PROMPT = `ghp_${diceOf(10)('A-Za-z0-9', 36)}`;
const FOLDER = `/home/ada/${NAME}`;
const FILE = `${FOLDER}/a.jsonl`;
const OTHER = `${FOLDER}/b.jsonl`;
const COMPACTED = `${FOLDER}/c.jsonl`;
const FILES = {
  [COMPACTED]: new Log('c')
    .user('u1', `The key is ${PROMPT}.`)
    .user('u2', 'And?')
    .compaction('k1', 'A key.', 'u2')
    .text(),
  [FILE]: text,
  [OTHER]: text.replaceAll('and a line', 'and another line'),
  [`${FOLDER}/baseline.json`]: JSON.stringify({ parts: [{ name: 'content', text: PROMPT }], tools: [] }, null, 2),
};

/** Command lines of every command that takes the flag. */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  show: [
    [FILE],
    [FILE, '--part', 'messages'],
    [FILE, '--part', 'tools', '--full'],
    [FILE, '--at', 'a0000004', '--full', '--ephemeral', '--baseline', `${FOLDER}/baseline.json`],
    [FILE, '--each'],
  ],
  tree: [[FILE, '--filter', 'all']],
  log: [
    [FILE, '--all'],
    [FILE, '-n', '3'],
    [FILE, '--oneline'],
  ],
  grep: [
    ['ghp_|REDACTED', FILE],
    ['and', FILE, '--where', 'all', '--context', '2'],
    ['-e', 'then', FILE, '--count', '--where', 'hidden'],
    [tokens[6]!, FILE, '--where', 'all'],
  ],
  cat: [
    [FILE, 'a0000000..HEAD'],
    [FILE, 'HEAD', '--raw'],
    [FILE, 'a000000b'],
  ],
  ls: [[FOLDER]],
  diff: [
    [FILE, 'a0000003..a000000c', '--full'],
    [FILE, OTHER],
  ],
  overhead: [[FILE], [FOLDER]],
  cache: [[FILE, '--each']],
  status: [
    [FILE, '--limit', '1k'],
    [FILE, '--limit', '1k', '--history', '--each'],
  ],
  'engine run': [[FILE, '--budget', '100k', '--full']],
  query: [['SELECT * FROM messages', FILE]],
  prune: [[FILE, '--limit', '1k', '--dry-run']],
  compact: [[FILE, '--keep-recent', '10', '--dry-run']],
  revert: [[COMPACTED, 'k1', '--dry-run']],
  hooks: [[FILE, '--hook', `${projectFolder}/fixtures/hooks/broken.ts`, '--each-request']],
  find: [['key', '--in', COMPACTED]],
  why: [['key', COMPACTED]],
  loss: [[FILE, 'a000000e', '--full']],
  facts: [
    [FILE, '--full'],
    [FILE, '--packet'],
  ],
  stats: [[FILE, OTHER, '--full']],
  export: [[FILE], [FILE, '--full'], [FILE, '-o', '-'], [FILE, OTHER, '-o', '/out/tables']],
  report: [
    [FILE, '-o', '/out/report.html'],
    [FOLDER, '-o', '/out/index.html'],
  ],
};

// Requests of rpc come over standard input, and are tried with it.
const commands = (await loadCommands()).filter(({ name, takesRedact }) => takesRedact && name !== 'rpc');

it('every command that takes --redact is tried', () => {
  expect(Object.keys(LINES).toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

async function said(argv: readonly string[]): Promise<{ readonly ran: Ran; readonly all: string }> {
  const ran = await ctx(argv, { files: FILES, columns: 100 });
  const written = Object.entries(ran.files).filter(([name]) => !Object.hasOwn(FILES, name));
  const all = [ran.stdout, ran.stderr, ...written.map(([name, bytes]) => `${name}\n${Buffer.from(bytes).toString()}`)];
  return { ran, all: all.join('\n') };
}

/** Also a piece of one is found. */
function leaksIn(all: string): readonly string[] {
  return [...tokens, NAME, PROMPT].filter(
    (token) => all.includes(token.slice(0, 12)) || all.includes(token.slice(-12)),
  );
}

describe.each(commands.map((command) => [command.name, command] as const))('ctx %s --redact', (name, command) => {
  it('shows no secret in any format', async () => {
    let leaked = 0;
    for (const [at, line] of (LINES[name] ?? []).entries()) {
      let worked = 0;
      for (const format of at === 0 ? listFormats(command) : listFormats(command).filter((one) => one !== 'markdown')) {
        const argv = [...name.split(' '), ...line, '--format', format];
        const { ran, all } = await said([...argv, '--redact']);
        expect({ argv, leaks: leaksIn(all) }).toEqual({ argv, leaks: [] });
        // A command line that this command or format does not take says nothing.
        if (ran.exitCode > 1) continue;
        worked += 1;
        if (leaked === 0 && leaksIn((await said(argv)).all).length > 0) leaked += 1;
      }
      expect(worked, line.join(' ')).toBeGreaterThan(0);
    }
    // Without the flag there is something to hide.
    expect(leaked).toBeGreaterThan(0);
  });
});

describe('--redact', () => {
  it('gives the same value the same placeholder in two sessions', async () => {
    const { stdout } = await ctx(['diff', FILE, OTHER, '--redact'], {
      columns: Infinity,
      files: FILES,
    });
    const { stdout: bare } = await ctx(['diff', FILE, OTHER], {
      columns: Infinity,
      files: FILES,
    });
    expect(stdout.split('\n').length).toBe(bare.split('\n').length);
  });

  it.each([
    [['show', `${FOLDER}/none.jsonl`]],
    [['export', FOLDER]],
    [['export', FILE, '-o', OTHER]],
    [['show', FILE, '--baseline', `${FOLDER}/none.json`]],
    [['show', FILE, '--at', 'nothing', '--json']],
  ])('tells of what fails without the secrets in names: %j', async (argv) => {
    const { ran, all } = await said([...argv, '--redact']);
    expect(ran.exitCode).toBeGreaterThan(1);
    expect(ran.stderr).toMatch(/ctx/);
    expect(leaksIn(all)).toEqual([]);
  });

  it('tells of what fails while it prints without the secrets in names', async () => {
    const log = new Log('long');
    for (let turn = 0; turn < 2000; turn += 1) log.user(`u${turn}`, 'A long question. '.repeat(20));
    const files = { [FILE]: log.text() };
    let reads = 0;
    let most = Infinity;
    const onOpen: World['onOpen'] = (source) => ({
      ...source,
      readInto(target, start) {
        reads += 1;
        if (reads > most) throw new CtxError('input', 'the disk is gone', { where: FILE });
        source.readInto(target, start);
      },
    });
    const argv = ['cat', FILE, 'u0..HEAD', '--json', '--redact'];
    await ctx(argv, { files, onOpen });
    most = reads - 1;
    reads = 0;
    const { exitCode, stdout, stderr } = await ctx(argv, { files, onOpen });
    expect([exitCode, stdout === '']).toEqual([3, false]);
    expect(stderr).toContain('the disk is gone');
    expect(leaksIn(stderr)).toEqual([]);
  });

  it('finds an entry by a label that is a secret', async () => {
    const label = /"label":"(ghp_\w+)"/.exec(text)![1]!;
    const { stdout, exitCode } = await ctx(['cat', FILE, label, '--redact', '--json'], { files: FILES });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ entryId: 'a0000001' });
  });

  it('takes values, patterns and variables from the configuration of ctx redact, and can be a default', async () => {
    const config = {
      defaults: { redact: { pattern: ['line with'], env: ['MY_*'] }, show: { redact: true } },
    };
    const files = { ...FILES, '/home/ada/weather/ctx.config.json': JSON.stringify(config) };
    const { stdout, stderr } = await ctx(['show', FILE, '--full'], { files, env: { MY_WORD: ', then' } });
    expect(stderr).not.toContain('unknown');
    expect(stdout).toContain('[REDACTED:my-word:1]');
    expect(stdout).toContain('and a [REDACTED:pattern:1]');
    expect(leaksIn(stdout)).toEqual([]);
  });

  it('gives no name a placeholder that another one has from an earlier redaction', async () => {
    const files = { '/s/a [REDACTED:github-token:1].jsonl': text, [`/s/b ${NAME}.jsonl`]: text };
    const { stdout } = await ctx(['ls', '/s', '--redact', '--json'], { files });
    const listed = stdout
      .split('\n')
      .flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { file: string }).file));
    expect(listed.toSorted()).toEqual(['/s/a [REDACTED:github-token:1].jsonl', '/s/b [REDACTED:github-token:2].jsonl']);
  });

  it('hides secrets that are written while a command follows the file', async () => {
    const late = `ghp_${diceOf(11)('A-Za-z0-9', 36)}`;
    const line = { type: 'message', id: 'b0000000', parentId: null, message: { role: 'user', content: `now ${late}` } };
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const later = [{ [FILE]: `${whole}${JSON.stringify(line)}\n` }];
    const world = { files: { ...FILES, [FILE]: whole }, later };
    const { stdout } = await ctx(['log', FILE, '--all', '--follow', '--redact', '--json'], world);
    expect(stdout).toContain('b0000000');
    expect(stdout).toMatch(/now \[REDACTED:github-token:\d+\]/);
    expect(stdout).not.toContain(late.slice(0, 12));
  });

  it('is no flag of a command that writes to a session', async () => {
    expect(await ctx(['compact', FILE, '--redact'], { files: FILES })).toMatchObject({ exitCode: 2 });
  });

  it('takes what is typed for a pattern as it is', async () => {
    const { exitCode } = await ctx(['grep', '-F', tokens[6]!, FILE, '--where', 'all', '--redact'], { files: FILES });
    expect(exitCode).toBe(1);
  });
});
