import { describe, expect, it } from 'vitest';
import { loadAssembly } from '#cli/config/assembly.js';
import { parseConfig } from '#cli/config/schema.js';
import type { Assembly } from '#lab/injectors/assembly.js';
import type { ActiveInjector } from '#lab/injectors/define.js';
import { memoryFiles } from '../../support/memory-io.js';

const FILES = {
  '/home/ada/weather/MEMORY.md': '- Short answers.',
  '/home/ada/weather/docs/dates.md': '# Dates\nIn UTC.',
  '/home/ada/weather/docs/tests.md': '# Tests\nIn three zones.',
};

async function read(value: unknown): Promise<Assembly> {
  const file = '/home/ada/weather/ctx.config.json';
  const files = memoryFiles(FILES);
  const glob = async (pattern: string): Promise<readonly string[]> =>
    pattern === 'docs/*.md' ? ['docs/tests.md', 'docs/dates.md'] : [];
  const whole = (name: string): string => name.replace(/^(?!\/)/, '/home/ada/weather/');
  const open = (name: string) => files.open(whole(name));
  const named = { ...files, glob, open, exists: (name: string) => files.exists(whole(name)) };
  return loadAssembly(
    { cwd: '/home/ada/weather', files: named },
    {
      file,
      config: parseConfig(value, file),
      isTrusted: true,
    },
  );
}

const seatsOf = async (...injectors: readonly object[]): Promise<readonly ActiveInjector[]> =>
  (await read({ assembly: { injectors } })).injectors;
const named = (seats: readonly ActiveInjector[], name: string): ActiveInjector | undefined =>
  seats.find(({ injector }) => injector.name === name);

describe('the configuration of an assembly', () => {
  it('need not be there', async () => {
    const { injectors: seats, variation } = await read({});
    expect(variation).toBe(null);
    expect(seats.map(({ injector }) => injector.name)).toEqual([
      'system-role',
      'tool-definitions',
      'skills',
      'memory',
      'knowledge',
      'playbook',
      'plan-status',
      'error-retention',
      'todo-rewriter',
    ]);
  });

  it('gives files to the injectors that need some, patterns in the order of the names', async () => {
    const seats = await seatsOf(
      { name: 'memory', file: 'MEMORY.md', top: 2 },
      { name: 'knowledge', files: ['docs/*.md', 'docs/dates.md'], budget: 900 },
    );
    expect(named(seats, 'memory')?.settings).toEqual({
      texts: [{ path: 'MEMORY.md', text: '- Short answers.' }],
      top: 2,
    });
    expect(named(seats, 'knowledge')?.settings.texts.map(({ path }) => path)).toEqual([
      'docs/dates.md',
      'docs/tests.md',
    ]);
    expect(named(seats, 'knowledge')?.placement).toEqual({
      phase: 'user-context',
      cache: 'session',
      priority: 20,
      maxTokens: 900,
    });
  });

  it('adds injectors of the user, with texts or files', async () => {
    const seats = await seatsOf(
      { name: 'rules', phase: 'system', priority: 5, budget: 100, text: 'Never push.' },
      { name: 'team', file: 'MEMORY.md' },
      { name: 'now', phase: 'runtime', text: 'Hurry.' },
    );
    expect(named(seats, 'rules')).toMatchObject({
      placement: { phase: 'system', cache: 'stable', priority: 5, maxTokens: 100 },
      settings: { texts: [{ path: 'rules', text: 'Never push.' }] },
    });
    expect(named(seats, 'team')?.placement).toEqual({
      phase: 'user-context',
      cache: 'session',
      priority: 50,
      maxTokens: 500,
    });
    expect(named(seats, 'now')?.placement).toMatchObject({ phase: 'runtime', cache: 'dynamic' });
  });

  it('switches injectors off, moves them, and sets the seed of the variation', async () => {
    const { injectors: seats, variation } = await read({
      assembly: {
        injectors: [
          { name: 'plan-status', off: true },
          { name: 'knowledge', phase: 'runtime' },
        ],
        variation: 7,
      },
    });
    expect(variation).toBe(7);
    expect(named(seats, 'plan-status')).toBe(undefined);
    expect(named(seats, 'knowledge')?.placement).toMatchObject({ phase: 'runtime', cache: 'dynamic' });
  });

  it.each([
    [[{ name: 'x', text: 'a', wrong: 1 }], /unknown key "wrong" in assembly\.injectors\[0\]/],
    [[{ name: 'x', text: 'a', phase: 'late' }], /assembly\.injectors\[0\]\.phase must be "system" or /],
    [[{ name: 'x', text: 'a', budget: 0 }], /assembly\.injectors\[0\]\.budget must be more than 0/],
    [[{ name: 'knowlege', top: 3 }], /"knowlege" is not built in/],
    [[{ name: 'x', text: 'a', file: 'b' }], /has a "text" and a "file"/],
    [[{ name: 'x', text: 'a', top: 2 }], /sets "top" of a text/],
    [[{ name: 'x', text: 'a', off: true }], /is off, and not built in/],
    [[{ name: 'plan-status', off: true }, { name: 'plan-status' }], /\[1\] names "plan-status" again/],
    [[{ name: 'x', text: 'a', phase: 'system', cache: 'dynamic' }], /puts dynamic content into the phase system/],
    [[{ name: 'memory', cache: 'dynamic' }], /puts dynamic content into the phase user-context/],
    [[{ name: 'plan-status', cache: 'session' }], /puts session content into the phase runtime/],
    [[{ name: 'todo-rewriter', priority: 1 }], /sets "priority" of todo-rewriter, which has its place/],
    [[{ name: 'plan-status', text: 'a' }], /gives plan-status a "text", and it needs none/],
    [[{ name: 'plan-status', top: 1 }], /sets "top" of plan-status, which does not choose/],
  ])('refuses %j', async (injectors, message) => {
    await expect(read({ assembly: { injectors } })).rejects.toThrow(message);
  });

  it('names the word that was meant', async () => {
    await expect(read({ assembly: { injectors: [{ name: 'knowlege' }] } })).rejects.toMatchObject({
      hint: 'did you mean "knowledge"?',
      kind: 'usage',
    });
  });

  it('names a file or a pattern without a file', async () => {
    await expect(read({ assembly: { injectors: [{ name: 'memory', file: 'NONE.md' }] } })).rejects.toMatchObject({
      kind: 'usage',
      where: 'NONE.md',
    });
    await expect(
      read({ assembly: { injectors: [{ name: 'memory', files: ['MEMORY.md', 'no*.md'] }] } }),
    ).rejects.toMatchObject({ message: 'no file matches a pattern of the injector "memory"', where: 'no*.md' });
  });
});
