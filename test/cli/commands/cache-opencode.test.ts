import { describe, expect, it } from 'vitest';
import type { CacheRequest } from '#analysis/cache/document.js';
import { ctx } from '../../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

const FILE = 'export.json';
const START = Date.UTC(2026, 5, 1, 8);

/** An export of opencode, one question and its answer after another. */
class Export {
  private readonly messages: Json[] = [];

  /** `read`: tokens of the prompt that were read from the cache. */
  turn(agent: string, prompt: number, read: number, info: Json = {}, parts: readonly Json[] = []): this {
    const at = this.messages.length;
    const created = START + at * 20_000;
    const [asked, answered] = [`m${at}`, `m${at + 1}`];
    const tokens = { input: prompt - read, output: 50, reasoning: 0, cache: { read, write: 0 } };
    this.messages.push(
      {
        info: { id: asked, role: 'user', time: { created }, agent },
        parts: [...parts, { id: `p${asked}`, type: 'text', text: `Step ${at}` }],
      },
      {
        info: {
          id: answered,
          role: 'assistant',
          parentID: asked,
          time: { created: created + 4000, completed: created + 6000 },
          providerID: 'anthropic',
          modelID: 'claude-sonnet-4-5',
          mode: agent,
          agent,
          tokens,
          finish: 'stop',
          ...info,
        },
        parts: [{ id: `p${answered}`, type: 'text', text: `Done ${at}.` }],
      },
    );
    return this;
  }

  async breaks(): Promise<readonly (CacheRequest['break'] | undefined)[]> {
    const { stdout } = await ctx(['cache', FILE, '--each', '--json'], { files: { [FILE]: this.text } });
    return stdout
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as CacheRequest).break);
  }

  get text(): string {
    const info = { id: 'ses_1', version: '1.18.0', directory: '/home/ada/shop', time: { created: START } };
    return JSON.stringify({ info, messages: this.messages });
  }
}

describe('the cause of a break in a session of opencode', () => {
  it('is the switch to another agent', async () => {
    const talk = new Export().turn('plan', 30_000, 0).turn('plan', 31_000, 30_000).turn('review', 32_000, 0);
    const breaks = await talk.breaks();
    expect(breaks.slice(0, 2)).toEqual([null, null]);
    expect(breaks[2]).toMatchObject({
      class: 'agent',
      detail: 'review answers, plan before',
      entryId: breaks[2]?.between.findLast(({ type }) => type === 'user')?.entryId,
    });
    const { stdout } = await ctx(['cache', FILE], { files: { [FILE]: talk.text }, columns: 160 });
    expect(stdout).toMatch(/agent .* \w{8}: review answers, plan before/);
  });

  it('is no switch where the agent is the same, and none where the cache was read all the same', async () => {
    const same = new Export().turn('plan', 30_000, 0).turn('plan', 31_000, 30_000).turn('plan', 32_000, 0);
    expect((await same.breaks())[2]).toMatchObject({ class: 'unexplained' });
    const read = new Export().turn('plan', 30_000, 0).turn('build', 31_000, 30_000);
    expect((await read.breaks())[1]).toBeNull();
  });

  it.each(['compaction', 'build'])('is the agent that compacts, where its request names %s', async (agent) => {
    const talk = new Export().turn('build', 60_000, 0).turn('build', 61_000, 60_000);
    talk.turn(agent, 62_000, 0, { summary: true }, [{ id: 'c', type: 'compaction', auto: true }]);
    const breaks = await talk.turn('build', 9000, 0).breaks();
    expect(breaks[2]).toMatchObject({ class: 'agent', detail: 'compaction answers, build before' });
    expect(breaks[3]).toMatchObject({ class: 'compaction', also: ['agent'] });
  });
});
