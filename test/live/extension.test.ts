import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import type { Live, LivePart } from '#live/define.js';
import { installParts } from '#live/install-parts.js';
import { createLive } from '#live/live.js';
import { readLivePolicy } from '#live/policy.js';
import { DEFAULT_LIVE_SETTINGS } from '#live/settings.js';
import type { Io } from '#platform/io.js';
import { projectFolder } from '../support/files.js';
import { livePi } from '../support/live-pi.js';

/** The services of parts, with configurations as given. */
function liveWith({ user = null, project = null }: { user?: unknown; project?: unknown } = {}): Live {
  const found = (file: string, value: unknown) => Promise.resolve(value === null ? null : { file, value });
  const configs = {
    user: () => found('/home/ada/.config/ctx/config.json', user),
    findPlain: () => found('/home/ada/weather/ctx.config.json', project),
  };
  return createLive({ configs } as unknown as Io, () => Promise.reject(new Error('no command line')));
}

function partThat(install: LivePart['install']): LivePart {
  return { name: 'broken', install };
}

describe('the parts of the extension', () => {
  it('show an error of a handler once, and the handlers of others run', async () => {
    const live = livePi();
    const broken = partThat((pi) => {
      pi.on('context_with_system', () => {
        throw new Error('out of order');
      });
    });
    const sound = partThat((pi) => pi.on('context_with_system', () => ({ messages: [] })));
    installParts(live.pi, liveWith(), [broken, sound]);
    expect(await live.send([{ role: 'user' }])).toEqual([]);
    await live.send([{ role: 'user' }]);
    expect(live.notices).toEqual([expect.stringMatching(/^warning: ctx: broken: .*out of order/)]);
  });

  it('show an error of an installation when the session starts', async () => {
    const live = livePi();
    const broken = partThat(() => {
      throw new Error('out of order');
    });
    installParts(live.pi, liveWith(), [broken]);
    await live.emit('session_start', { reason: 'startup' });
    expect(live.notices).toEqual([expect.stringContaining('out of order')]);
  });

  it('show an error of a command', async () => {
    const live = livePi();
    const broken = partThat((pi) => pi.registerCommand('ctx', { handler: () => Promise.reject(new Error('late')) }));
    installParts(live.pi, liveWith(), [broken]);
    await live.commands.get('ctx')!.handler('', live.ctx as never);
    expect(live.notices).toEqual([expect.stringContaining('late')]);
  });
});

describe('the settings', () => {
  it('are those of the project over those of the user over the defaults', async () => {
    const of = liveWith({ user: { live: { record: 'all', statusLine: false } }, project: { live: { record: 'off' } } });
    expect(await of.settings(livePi().ctx)).toEqual({ ...DEFAULT_LIVE_SETTINGS, statusLine: false, record: 'off' });
  });

  it('are those of the user alone in a project that is not trusted', async () => {
    const of = liveWith({ user: { live: { record: 'differences' } }, project: { live: { record: 'all' } } });
    const { ctx } = livePi([], { isProjectTrusted: () => false });
    expect(await of.settings(ctx)).toEqual({ ...DEFAULT_LIVE_SETTINGS, record: 'differences' });
  });

  it('are the defaults with a notice if they are invalid', async () => {
    const live = livePi();
    const of = liveWith({ project: { live: { record: 'sometimes' } } });
    expect(await of.settings(live.ctx)).toEqual(DEFAULT_LIVE_SETTINGS);
    expect(live.notices).toEqual([expect.stringContaining('record')]);
  });

  it('are read again when a session starts', async () => {
    const project = { live: { record: 'all' } };
    const of = liveWith({ project });
    const { ctx } = livePi();
    expect((await of.settings(ctx)).record).toBe('all');
    project.live.record = 'off';
    expect((await of.settings(ctx)).record).toBe('all');
    of.begin({});
    expect((await of.settings(ctx)).record).toBe('off');
  });

  it('show the notice once for a start that Pi emits twice, and again for the next session', async () => {
    const live = livePi();
    const of = liveWith({ user: { live: { record: 'sometimes' } } });
    const reads = partThat((pi) => {
      pi.on('session_start', async (_event, ctx) => void (await of.settings(ctx)));
    });
    installParts(live.pi, of, [reads]);
    const first = { reason: 'startup' };
    await live.emit('session_start', first);
    await live.emit('session_start', first);
    expect(live.notices).toHaveLength(1);
    await live.emit('session_start', { reason: 'new' });
    expect(live.notices).toHaveLength(2);
  });
});

describe('docs/use/live.md', () => {
  it('lists the settings with their defaults', () => {
    const page = readFileSync(path.join(projectFolder, 'docs/use/live.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| .* \| `(.+)` \|$/gm)].map(([, key, value]) => [
      key,
      JSON.parse(value!) as unknown,
    ]);
    expect(Object.fromEntries(rows)).toEqual(DEFAULT_LIVE_SETTINGS);
  });
});

it.each(['much', '0', 0, -1, null])(
  'an invalid limit of the context is an error that names the file: %s',
  async (limit) => {
    const configs = {
      user: () => Promise.resolve({ file: '/c.json', isTrusted: true, value: { limit } }),
      findPlain: () => Promise.resolve(null),
    };
    await expect(readLivePolicy(configs, '/', false)).rejects.toMatchObject({
      message: 'limit must be a positive number',
      where: '/c.json',
    });
  },
);

describe('a notice', () => {
  it.each([
    [
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path: '/s.jsonl' }),
      /no space left.*\/s\.jsonl.*\/resume$/,
    ],
    [
      Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' }),
      /illegal operation on a directory/,
    ],
    [new CtxError('input', 'an op breaks a rule', { hint: 'repair it, or pass --lenient' }), /an op breaks a rule$/],
  ])('on %s names what the user can do in Pi', async (error, words) => {
    const live = livePi();
    const fails = partThat((pi) =>
      pi.on('turn_start', () => {
        throw error;
      }),
    );
    installParts(live.pi, liveWith({}), [fails]);
    await live.emit('turn_start');
    expect(live.notices).toEqual([expect.stringMatching(words)]);
    expect(live.notices[0]).not.toMatch(/bug|--/);
  });

  it.each([
    ['context_with_system', { messages: [null] }],
    ['context_with_system', { messages: 7 }],
    ['turn_end', { entries: [undefined] }],
  ])('on %s says that another extension returned nonsense', async (type, event) => {
    const live = livePi();
    const reads = partThat((pi) => pi.on(type as 'turn_end', ({ entries }) => void entries.map((each) => each.type)));
    installParts(live.pi, liveWith({}), [reads]);
    await live.emit(type, event);
    expect(live.notices).toEqual([
      expect.stringMatching(/another extension returned (?:messages|entries) that are none/),
    ]);
  });
});
