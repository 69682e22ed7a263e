import { expect, it } from 'vitest';
import { withRealPi } from '../support/real-pi.js';
import { RunningPi } from './live/running-pi.js';
import { sharedPi } from './live/shared-pi.js';

/** Talks for some turns. */
async function talking(pi: RunningPi, turns: number): Promise<RunningPi> {
  for (let turn = 1; turn <= turns; turn += 1) await pi.prompt(`Question ${turn}: ${'a word '.repeat(200)}`);
  return pi;
}

withRealPi('inside real Pi', () => {
  const startSession = sharedPi();

  it('/ctx prune asks, appends its plan, is sent, and /ctx revert undoes it', async () => {
    const pi = await talking(await startSession(), 4);
    const before = (await pi.entries()).length;
    await pi.prompt('/ctx prune --strategy turns --recent-turns 1');
    expect(pi.questions.at(-1)).toMatch(/^Append this to the session\?: "would append \d+ entr/);
    expect(pi.notices.at(-1)).toMatch(/^info: ctx: appended \d+ entr.* → .* tokens\nundo: \/ctx revert \w+$/);
    expect((await pi.entries()).length).toBeGreaterThan(before);
    await pi.prompt('And now?');
    expect(JSON.stringify(pi.got().at(-1)?.messages)).not.toContain('Question 2: a word');
    await pi.prompt(`/ctx revert ${pi.notices.at(-1)?.split(' ').at(-1)}`);
    await pi.prompt('And now again?');
    expect(JSON.stringify(pi.got().at(-1)?.messages)).toContain('Question 2: a word');
  });

  it('/ctx, /ctx cache and /ctx-status show the session, and change nothing', async () => {
    const pi = await talking(await startSession(), 2);
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
  });

  it('a session without a file is shown, and not written to', async () => {
    await using pi = await RunningPi.start({ args: ['--no-session'] });
    await talking(pi, 1);
    await pi.prompt('/ctx show');
    expect(pi.notices.at(-1)).toMatch(/Question 1/);
    await pi.prompt('/ctx prune --yes');
    expect(pi.notices.at(-1)).toMatch(/^warning: ctx: this session has no file/);
  });

  it('the gate prunes, and ctx status --history replays it', async () => {
    const config = { limit: 4000, prune: { compactFrom: 'compact' } };
    const pi = await talking(await startSession({ settings: { gate: 'on' }, config }), 9);
    const done = pi.notices.filter((notice) => notice.includes('ctx: pruned'));
    expect(done.length).toBeGreaterThan(0);
    await pi.prompt('/ctx status --history');
    for (const notice of done) expect(pi.notices.at(-1)).toContain(notice.split(' ').at(-1));
    expect(pi.notices.at(-1)).toContain('as asked for');
  });
});
