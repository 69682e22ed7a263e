import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import type { ReportData } from '#analysis/report/document.js';
import { choosePageNames } from '#cli/commands/report/site.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { writtenAt } from '../../support/written-at.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const files = { 's.jsonl': weather };
/** It begins as a session does. */
const BROKEN = `{"type":"session",\n${'{"half":\n'.repeat(20_000)}`;

function dataIn(ran: Ran, file: string): ReportData {
  const page = Buffer.from(ran.files[file]!).toString();
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(json) as ReportData;
}

function report(argv: readonly string[], world: World = { files }): Promise<Ran> {
  return ctx(['report', ...argv], world);
}

/** The warning about a folder in the home of a user. */
const PERSONAL = /^ctx: warning: personal: .*1 user name in paths/;

describe('ctx report', () => {
  it('writes a page of a session, and says what is in it', async () => {
    const ran = await report(['s.jsonl', '-o', 'report.html']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringMatching(PERSONAL)]);
    expect(ran.stdout).toBe('report.html: 0.2 MB, 44 entries, 14 requests\n');
    expect(dataIn(ran, 'report.html')).toMatchObject({
      kind: 'session',
      title: 'Forecast shows the wrong day',
      file: 's.jsonl',
    });
    expect(ran.files['s.jsonl']).toBe(weather);
  });

  it('leaves images out of a redacted page, and where --no-images says so', async () => {
    const data = PIXEL.slice(0, -4) + 'AAAA'.repeat(100);
    const content = [{ type: 'image', mimeType: 'image/png', data }];
    const pictured = new Log('a').message('u1', { role: 'user', content }).text();
    const isIn = async (...flags: readonly string[]): Promise<boolean> => {
      const ran = await report(['s.jsonl', '-o', 'r.html', ...flags], { files: { 's.jsonl': pictured } });
      return Buffer.from(ran.files['r.html']!).toString().includes(data);
    };
    expect(await isIn()).toBe(true);
    expect(await isIn('--no-images')).toBe(false);
    expect(await isIn('--redact')).toBe(false);
    // The longest texts are cut first.
    expect(await isIn('--limit-bytes', '50')).toBe(false);
  });

  it('keeps to its schema', async () => {
    for (const name of ['s.jsonl', 'all']) {
      const { stdout } = await report([name, '-o', 'r.html', '--json'], {
        files: { ...files, 'all/s.jsonl': weather },
      });
      expect(schemas.report.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
    }
  });

  it('ends where --at says', async () => {
    const data = dataIn(await report(['s.jsonl', '-o', 'r.html', '--at', 'fixed']), 'r.html');
    if (data.kind !== 'session') throw new Error('of a session');
    expect(data.entries.labels).toEqual([[data.end, 'fixed']]);
    expect(data.requests.entries[data.requests.onPath - 1]).toBe(-1);
    // Those of the rest of the session are there too.
    expect(data.requests.entries.length).toBeGreaterThan(data.requests.onPath);
  });

  it('takes what the session does not record from --baseline', async () => {
    const talk = new Log('a').user('u1', 'Hello').assistant('a1', 'Hello.').text();
    const baseline = JSON.stringify({ parts: [{ name: 'rules', text: 'Be brief.' }] });
    const world = { files: { 's.jsonl': talk, 'b.json': baseline } };
    const data = dataIn(await report(['s.jsonl', '-o', 'r.html', '--baseline', 'b.json'], world), 'r.html');
    expect(data).toMatchObject({ parts: [{ name: 'rules', text: 'Be brief.' }] });
  });

  it('cuts what is too long, and says so', async () => {
    const ran = await report(['s.jsonl', '-o', 'r.html', '--limit-bytes', '5k']);
    expect(ran.stdout).toMatch(/\ntexts are cut at \d+ bytes; --limit-bytes lets in more\n$/);
    const whole = await report(['s.jsonl', '-o', 'r.html']);
    expect(whole.stdout).not.toContain('cut');
    expect(ran.files['r.html']!.length).toBeLessThan(whole.files['r.html']!.length);
  });

  it('is named after the session, and never replaces a file by that', async () => {
    const ran = await report(['all/s.jsonl'], { files: { 'all/s.jsonl': weather } });
    expect(ran.stdout).toBe('s.html: 0.2 MB, 44 entries, 14 requests\n');
    const again = await report(['s.jsonl'], { files: { ...files, 's.html': 'mine' } });
    expect([again.exitCode, again.files['s.html']]).toEqual([4, 'mine']);
    const piped = await report(['-'], { files: { '-': weather } });
    expect(piped.stdout).toContain('session.html: ');
  });

  it('opens in the browser on request, and reports when there is none', async () => {
    const opened: string[] = [];
    const openInBrowser = async (file: string): Promise<boolean> => opened.push(file) > 0;
    const ran = await report(['s.jsonl', '--open'], { files, cwd: '/home/ada', openInBrowser });
    expect([ran.exitCode, ran.stderr, opened]).toEqual([0, expect.stringMatching(PERSONAL), ['/home/ada/s.html']]);
    await report(['s.jsonl', '-o', 'r.html'], { files, openInBrowser });
    expect(opened).toHaveLength(1);
    const none = await report(['s.jsonl', '--open'], { files });
    expect([none.exitCode, none.stderr]).toEqual([0, expect.stringContaining('open s.html yourself')]);
  });

  it('is a site of a folder: a page for each session, with sums in the page that lists them', async () => {
    const world = { files: { 'all/s.jsonl': weather, 'all/two/s.jsonl': weather, 'all/broken.jsonl': BROKEN } };
    const ran = await report(['all'], world);
    expect(ran.stdout).toMatch(/^all-report\/index\.html: 0\.\d MB, 2 sessions\n$/);
    expect(ran.stderr).toContain('all/broken.jsonl');
    const index = dataIn(ran, 'all-report/index.html');
    if (index.kind !== 'index') throw new Error('of a folder');
    expect(index.folder).toBe('/home/ada/weather/all');
    expect(index.sessions.map(({ page }) => page)).toEqual(['s.html', 's-2.html']);
    for (const { page, figures, contextTokens, cost } of index.sessions) {
      const data = dataIn(ran, `all-report/${page}`);
      if (data.kind !== 'session') throw new Error('of a session');
      expect([data.home, data.title, data.cost.usageRecorded.cost]).toEqual([
        'index.html',
        'Forecast shows the wrong day',
        cost,
      ]);
      const sum = (numbers: readonly number[] = []): number => numbers.reduce((all, each) => all + each, 0);
      expect(sum(figures?.context)).toBe(contextTokens);
      expect(sum(figures?.prompts)).toBe(data.cache.summary.promptTokens);
    }
  });

  it('lists costs as ctx ls does: at listed prices where none are recorded', async () => {
    const world = { files: { 'all/s.jsonl': readFileSync('fixtures/agents/claude-code/session.jsonl', 'utf8') } };
    const index = dataIn(await report(['all', '-o', 'index.html'], world), 'index.html');
    if (index.kind !== 'index') throw new Error('of a folder');
    const { cost, costListed } = JSON.parse((await ctx(['ls', 'all', '--json'], world)).stdout);
    expect([cost, costListed]).toEqual([null, expect.closeTo(0.0243, 4)]);
    expect(index.sessions).toMatchObject([{ cost, costListed }]);
  });

  it('adds up costs as ctx stats does: entries that forks share count once', async () => {
    const fork = weather.replace('"cwd"', '"parentSession":"s.jsonl","cwd"').replace(/"id":"[^"]+"/, '"id":"fork"');
    const foreign = readFileSync('fixtures/agents/claude-code/session.jsonl', 'utf8');
    const world = { files: { 'all/s.jsonl': weather, 'all/fork.jsonl': fork, 'all/foreign.jsonl': foreign } };
    const index = dataIn(await report(['all', '-o', 'index.html'], world), 'index.html');
    if (index.kind !== 'index') throw new Error('of a folder');
    const { usageRecorded } = JSON.parse((await ctx(['stats', 'all', '--json'], world)).stdout);
    expect(usageRecorded.cost).toBeCloseTo(0.0534, 4);
    expect([index.cost, index.costListed]).toEqual([
      expect.closeTo(usageRecorded.cost, 10),
      expect.closeTo(usageRecorded.costListed, 10),
    ]);
  });

  it('counts the calls of each session of a site whose price is unknown', async () => {
    const usage = { input: 9, output: 9, cacheRead: 0, cacheWrite: 0 };
    const unknown = new Log('x').user('u1', 'Hi').assistant('a1', 'Yo.', { provider: 'mine', model: 'own', usage });
    const world = { files: { 'all/s.jsonl': weather, 'all/x.jsonl': unknown.text() } };
    const index = dataIn(await report(['all', '-o', 'site'], world), 'site/index.html');
    if (index.kind !== 'index') throw new Error('of a folder');
    const counted = index.sessions.map(({ id, figures }) => [id, figures?.unpricedCalls]);
    expect(counted).toEqual(expect.arrayContaining([['x', 1]]));
    expect(counted.filter(([, calls]) => calls === 0)).toHaveLength(1);
  });

  it('adds no site to a folder that has files, unless --force asks for it', async () => {
    const world = { files: { 'all/s.jsonl': weather, 'site/mine.txt': 'mine' } };
    const refused = await report(['all', '-o', 'site'], world);
    expect([refused.exitCode, Object.keys(refused.files)]).toEqual([4, Object.keys(world.files)]);
    const forced = await report(['all', '-o', 'site', '--force'], world);
    expect([forced.exitCode, forced.files['site/mine.txt']]).toEqual([0, 'mine']);
    expect(Object.keys(forced.files)).toContain('site/index.html');
  });

  it('names pages apart, in any case of letters', () => {
    const named = ['s.jsonl', 'a/S.jsonl', 's-2.jsonl', 'index.jsonl', 'a b.jsonl'].map((file) => ({ file }));
    expect(choosePageNames(named)).toEqual(['s.html', 'S-2.html', 's-2-2.html', 'index-2.html', 'a_b.html']);
  });

  it('lists the sessions of a folder', async () => {
    const world = {
      files: {
        'all/one.jsonl': writtenAt(weather, Date.UTC(2026, 2, 2)),
        'all/two/s.jsonl': writtenAt(weather, Date.UTC(2026, 2, 3)),
        'all/broken.jsonl': BROKEN,
      },
    };
    const ran = await report(['all', '-o', 'index.html'], world);
    expect(ran.stdout).toMatch(/^index\.html: 0\.\d MB, 2 sessions\n$/);
    expect(ran.stderr).toContain('all/broken.jsonl');
    const data = dataIn(ran, 'index.html');
    if (data.kind !== 'index') throw new Error('of a folder');
    expect(data.sessions.map(({ file, title, entries }) => [file, title, entries])).toEqual([
      ['all/two/s.jsonl', 'Forecast shows the wrong day', 44],
      ['all/one.jsonl', 'Forecast shows the wrong day', 44],
    ]);
    expect(data.unreadable.map(([file]) => file)).toEqual(['all/broken.jsonl']);
  });

  it('has only the sessions of a folder that were written since a time', async () => {
    const world = {
      files: {
        'all/one.jsonl': writtenAt(weather, Date.UTC(2026, 2, 2)),
        'all/two.jsonl': writtenAt(weather, Date.UTC(2026, 1, 2)),
      },
    };
    const ran = await report(['all', '-o', 'index.html', '--since', '2026-03-01'], world);
    const data = dataIn(ran, 'index.html');
    expect(data.kind === 'index' && data.sessions.map(({ file }) => file)).toEqual(['all/one.jsonl']);
    const none = await report(['all', '-o', 'index.html', '--since', '2026-03-03'], world);
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('no session was written in that time')]);
  });

  it('replaces a file only with --force, and never the session', async () => {
    const world = { files: { ...files, 'r.html': 'mine' } };
    const refused = await report(['s.jsonl', '-o', 'r.html'], world);
    expect([refused.exitCode, refused.files['r.html']]).toEqual([4, 'mine']);
    expect((await report(['s.jsonl', '-o', 'r.html', '--force'], world)).exitCode).toBe(0);
    const own = await report(['s.jsonl', '-o', 's.jsonl', '--force'], world);
    expect([own.exitCode, own.files['s.jsonl']]).toEqual([4, weather]);
  });

  it.each([
    [['s.jsonl', '-o', 'r.html', '--limit-bytes', '900M'], '--limit-bytes is more than any browser opens'],
    [['s.jsonl', '-o', 'r.html', '--since', '1d'], '--since has no effect on one session'],
    [['s.jsonl', '-o', 'r.html', '--format', 'markdown'], 'a report is a page in HTML'],
    [['all', '-o', 'r.html', '--at', 'HEAD'], '--at has no effect on a folder'],
    [['all', '-o', 'r.html', '--limit-bytes', '5k'], '--limit-bytes has no effect on a folder'],
  ])('refuses %j', async (argv, message) => {
    const { exitCode, stderr, files: after } = await report(argv, { files: { ...files, 'all/s.jsonl': weather } });
    expect([exitCode, stderr.split(':')[1]?.trim()]).toEqual([2, message]);
    expect(after['r.html']).toBe(undefined);
  });

  it.each([
    ['all', ['pi.html', 'cl-1.html'], 'all-report'],
    ['all:claude', ['cl-1.html'], 'all-claude-report'],
  ])('reports the sessions that %s means', async (name, pages, folder) => {
    const line = JSON.stringify({
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      timestamp: '2026-03-02T09:00:00.000Z',
      message: { role: 'user', content: 'Go' },
    });
    const many = {
      '/home/ada/.pi/agent/sessions/--x--/pi.jsonl': weather,
      '/home/ada/.claude/projects/-x/cl-1.jsonl': `${line}\n`,
    };
    const ran = await report([name], { files: many, env: { HOME: '/home/ada' } });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const written = Object.keys(ran.files).filter((file) => !Object.hasOwn(many, file));
    expect(written.toSorted()).toEqual([...pages, 'index.html'].map((page) => `${folder}/${page}`).toSorted());
    const none = await report(['all:codex'], { files: many, env: { HOME: '/home/ada' } });
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('no session was found')]);
  });

  it.each(fixtures.filter((file) => file.includes('damaged')))('shows what is left of %s', async (file) => {
    const { exitCode, files: after } = await report(['s.jsonl', '-o', 'r.html'], {
      files: { 's.jsonl': readFileSync(file) },
    });
    expect(after['r.html'] === undefined).toBe(exitCode === 3);
    expect([0, 3]).toContain(exitCode);
  });

  it('takes an empty session', async () => {
    const header = new Log('a').text();
    const ran = await report(['s.jsonl', '-o', 'r.html'], { files: { 's.jsonl': header } });
    expect([ran.exitCode, ran.stdout]).toEqual([0, 'r.html: 0.2 MB, 0 entries, 0 requests\n']);
  });
});
