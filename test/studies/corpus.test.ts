import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(path.join(tmpdir(), 'ctx-corpus-test-'));
});
afterAll(() => {
  rmSync(temporary, { recursive: true });
});

const FIRST = '{"type":"session","id":"first"}\n';
const SECOND = '{"type":"session","id":"second"}\n';

/** A mirror with one repository of two files, and a list of sessions of which some cannot be had. */
function buildMirror() {
  const root = mkdtempSync(path.join(temporary, 'root-'));
  const clone = path.join(root, 'mirror/owner+kept');
  mkdirSync(clone, { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]).toString();
  git('init', '--quiet');
  writeFileSync(path.join(clone, 'first.jsonl'), FIRST);
  writeFileSync(path.join(clone, 'second.jsonl'), SECOND);
  git('add', '.');
  git('commit', '--quiet', '-m', 'sessions');
  const commit = git('rev-parse', 'HEAD').trim();
  const row = (repository: string, name: string, text: string): string =>
    JSON.stringify({
      agent: 'pi',
      version: '3',
      repository,
      commit,
      path: name,
      licence: 'MIT',
      bytes: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    });
  const rows = [
    row('owner/kept', 'first.jsonl', FIRST),
    row('owner/kept', 'second.jsonl', 'what it was when it was listed'),
    row('owner/kept', 'gone.jsonl', 'a'),
    row('owner/gone', 'first.jsonl', 'b'),
  ];
  writeFileSync(path.join(root, 'list.jsonl'), `${rows.join('\n')}\n`);
  return { root, clone, folder: path.join(root, 'corpus') };
}

function fetchCorpus({ root, folder }: ReturnType<typeof buildMirror>, ...flags: readonly string[]) {
  const script = path.join(projectFolder, 'test/studies/corpus/fetch.mjs');
  const from = path.join(root, 'mirror/OWNER+NAME');
  const list = path.join(root, 'list.jsonl');
  const args = [script, folder, '--from', from, '--list', list, ...flags];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { stdout, stderr, status };
}

function placeOf({ folder }: ReturnType<typeof buildMirror>, text: string): string {
  return path.join(folder, 'pi', `owner+kept-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.jsonl`);
}

describe('the fetching of the corpus', () => {
  it('says what it would fetch, and fetches nothing without --yes', () => {
    const mirror = buildMirror();
    const { stdout, status } = fetchCorpus(mirror);
    expect(status).toBe(0);
    expect(stdout).toContain('0 of 4 sessions are in');
    expect(stdout).toContain('To fetch: 4 sessions with 0.0 MB, from 2 public repositories');
    expect(stdout).toContain('licence: MIT');
    expect(existsSync(mirror.folder)).toBe(false);
  });

  it('names a file with another hash, a file that is gone and a repository that is gone, and fetches the others', () => {
    const mirror = buildMirror();
    const { stdout, stderr, status } = fetchCorpus(mirror, '--yes');
    const found = createHash('sha256').update(SECOND).digest('hex');
    expect(stderr).toContain(`owner/kept: second.jsonl: its SHA-256 is ${found}, and the list has`);
    expect(stderr).toMatch(/owner\/kept: gone\.jsonl: fatal:/);
    expect(stderr).toMatch(/owner\/gone: cannot be cloned, 1 sessions are missing/);
    expect([stdout, status]).toEqual([`1 of 4 sessions are in ${mirror.folder}\n`, 1]);
    expect(readFileSync(placeOf(mirror, FIRST), 'utf8')).toBe(FIRST);
  });

  it('goes on after an interruption: half a file is fetched again, and a whole one stays', () => {
    const mirror = buildMirror();
    mkdirSync(path.join(mirror.folder, 'pi'), { recursive: true });
    writeFileSync(placeOf(mirror, FIRST), FIRST.slice(0, 9));
    expect(fetchCorpus(mirror).stderr).toContain('not the listed file, so it is fetched again');
    fetchCorpus(mirror, '--yes');
    expect(readFileSync(placeOf(mirror, FIRST), 'utf8')).toBe(FIRST);
    expect(fetchCorpus(mirror).stdout).toContain('1 of 4 sessions are in');
  });
});

describe('a refusal of the API', async () => {
  const script = path.join(projectFolder, 'test/studies/corpus/support.mjs');
  const { describeRefusal } = (await import(script)) as { describeRefusal: (text: string) => string };

  it.each([
    [
      'The encrypted content for item rs_1b could not be verified.',
      'The encrypted content for an item could not be verified',
    ],
    [
      'The encrypted content for item undefined could not be verified.',
      'The encrypted content for an item could not be verified',
    ],
    ['No tool output found for function call call_12.', 'No tool output found for function call ID'],
  ])('%s', (text, words) => {
    expect(describeRefusal(text)).toBe(words);
  });
});

describe('the second reader of totals', async () => {
  const script = path.join(projectFolder, 'test/studies/corpus/totals.mjs');
  const { readTotals } = (await import(script)) as { readTotals: (agent: string, file: string) => unknown };
  const count = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7 };
  const event = (payload: object): object => ({ type: 'event_msg', payload });
  const usage = { input: 5, output: 6, cacheRead: 0, cacheWrite: 0 };

  it.each([
    [
      'codex',
      'a sum once',
      Array.from({ length: 2 }, () =>
        event({ type: 'token_count', info: { total_token_usage: count, last_token_usage: count } }),
      ),
      1,
      60,
      7,
    ],
    ['codex', 'a count without a sum', [event({ type: 'token_count', info: { last_token_usage: count } })], 1, 60, 7],
    ['codex', 'the usage at the end of a turn', [event({ type: 'turn.completed', usage: count })], 1, 60, 7],
    ['pi', 'a usage without its sum', [{ type: 'message', message: { role: 'assistant', usage } }], 1, 5, 6],
    [
      'pi',
      'no usage of nothing',
      [{ type: 'message', message: { role: 'assistant', usage: { input: 0, output: 0 } } }],
      0,
      0,
      0,
    ],
  ])('of %s reads %s', (agent, _, records, calls, input, output) => {
    const file = path.join(temporary, 'totals.jsonl');
    writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
    expect(readTotals(agent, file)).toMatchObject({ calls, input, output });
  });
});
