import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { withRealPi } from '../support/real-pi.js';
import { RunningPi } from './live/running-pi.js';

/** Pi with a talk of some turns, in a context window that a configuration sets. */
async function talking(turns: number, config: object, args: readonly string[] = []): Promise<RunningPi> {
  const pi = await RunningPi.start({ args });
  writeFileSync(path.join(pi.folder, '.config/ctx/config.json'), JSON.stringify(config));
  await pi.command('new_session');
  for (let turn = 1; turn <= turns; turn += 1) await pi.prompt(`Question ${turn}: ${'a word '.repeat(200)}`);
  return pi;
}

withRealPi('inside real Pi', () => {
  it('/ctx prune asks, appends its plan, is sent, and /ctx revert undoes it', async () => {
    await using pi = await talking(4, {});
    const before = (await pi.entries()).length;
    await pi.prompt('/ctx prune --strategy turns --recent-turns 1');
    expect(pi.questions.at(-1)).toMatch(/^Append this to the session\?: would append \d+ entr/);
    expect(pi.notices.at(-1)).toMatch(/^info: ctx: appended \d+ entr.* → .* tokens\nundo: \/ctx revert \w+$/);
    expect((await pi.entries()).length).toBeGreaterThan(before);
    await pi.prompt('And now?');
    expect(JSON.stringify(pi.got().at(-1)?.messages)).not.toContain('Question 2: a word');
    await pi.prompt(`/ctx revert ${pi.notices.at(-1)?.split(' ').at(-1)}`);
    await pi.prompt('And now again?');
    expect(JSON.stringify(pi.got().at(-1)?.messages)).toContain('Question 2: a word');
  }, 120_000);

  it('/ctx, /ctx cache and /ctx-status show the session, and change nothing', async () => {
    await using pi = await talking(2, {});
    const before = await pi.entries();
    const shown: string[] = [];
    for (const command of ['/ctx', '/ctx cache', '/ctx show', '/ctx-status', '/ctx explode']) {
      await pi.prompt(command);
      shown.push(pi.notices.at(-1) ?? '');
    }
    expect(shown).toEqual([
      expect.stringMatching(/of 200k tokens[^]*zone +green[^]*cached/),
      expect.stringMatching(/2 requests/),
      expect.stringMatching(/messages[^]*preview/),
      expect.stringMatching(/^info: mode +watch\nzone +green, [\d,]+ of 200,000 tokens\npacket +none\nsummary +none$/),
      expect.stringMatching(/^error: ctx: no command "explode" inside Pi/),
    ]);
    expect(await pi.entries()).toEqual(before);
    expect(pi.shown.get('ctx')).toMatch(/^context (?:<1|\d+) %/);
  }, 120_000);

  it('a session without a file is shown, and not written to', async () => {
    await using pi = await talking(1, {}, ['--no-session']);
    await pi.prompt('/ctx show');
    expect(pi.notices.at(-1)).toMatch(/Question 1/);
    await pi.prompt('/ctx prune --yes');
    expect(pi.notices.at(-1)).toMatch(/^warning: ctx: this session has no file/);
  }, 120_000);

  it('the gate prunes, and ctx status --history replays it', async () => {
    const config = { limit: 4000, live: { gate: 'on' }, prune: { compactFrom: 'compact' } };
    await using pi = await talking(9, config);
    const done = pi.notices.filter((notice) => notice.includes('ctx: pruned'));
    expect(done.length).toBeGreaterThan(0);
    await pi.prompt('/ctx status --history');
    for (const notice of done) expect(pi.notices.at(-1)).toContain(notice.split(' ').at(-1));
    expect(pi.notices.at(-1)).toContain('as asked for');
  }, 120_000);
});
