import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDefaultAssembly, fitBudgets } from '#lab/injectors/assembly.js';
import {
  composeCached,
  composeTail,
  type Contribution,
  LEADING_TITLE,
  sortInjectors,
  TAIL_TITLE,
} from '#lab/injectors/compose.js';
import { type ActiveInjector, CACHE_STRATEGIES, fitsPhase, PHASES, type Placement } from '#lab/injectors/define.js';
import { countTextTokens } from '#lab/injectors/text-budget.js';
import { buildTextInjector } from '#lab/injectors/text-injector.js';
import { runs } from '../../support/runs.js';
import { calls, gives, observedOf, seat, situation } from '../../support/situations.js';

const parts = [
  { name: 'preamble', text: 'You are Pi.' },
  { name: 'cwd', text: 'You work in /home/ada.', separator: '\n\n' },
];
const tools = [
  { name: 'write', parameters: { type: 'object', properties: { path: {}, content: {} } }, description: 'Writes' },
  { name: 'read', description: 'Reads', parameters: { properties: { path: {} }, type: 'object' } },
];

function own(name: string, text: string, placement: Partial<Placement> = {}): ActiveInjector {
  const whole: Placement = { phase: 'user-context', cache: 'session', priority: 50, maxTokens: 500, ...placement };
  return {
    injector: buildTextInjector(name, whole),
    placement: whole,
    settings: { texts: [{ path: name, text }], top: 0 },
  };
}

describe('the cached half', () => {
  it('is the prompt, the tools, and one message in front of the conversation', async () => {
    const seats = [
      ...buildDefaultAssembly().injectors,
      own('rules', 'Never push.', { phase: 'system', cache: 'stable' }),
      own('team', 'Ada leads.'),
    ];
    const half = await composeCached(seats, situation({ parts, tools }));
    expect(half.parts).toEqual([...parts, { name: 'rules', text: 'Never push.', separator: '\n\n' }]);
    expect(half.tools.map(({ name }) => name)).toEqual(['read', 'write']);
    expect(half.leading).toBe(`${LEADING_TITLE}\n\nAda leads.`);
    expect(half.placed.map(({ injector, place, names }) => [injector, place, names])).toEqual([
      ['system-role', 'system', ['preamble', 'cwd']],
      ['tool-definitions', 'tools', ['read', 'write']],
      ['rules', 'system', ['rules']],
      ['team', 'leading', []],
    ]);
  });

  it('is nothing where there is nothing', async () => {
    const half = await composeCached(buildDefaultAssembly().injectors, situation());
    expect(half).toEqual({ parts: [], tools: [], leading: null, placed: [], moved: [] });
  });

  it('holds nothing of what changes from request to request', async () => {
    const before = situation({ parts, tools, observed: observedOf('user: Mend it.') });
    const after = { ...before, style: { ...before.style, list: 'numbered' as const } };
    const { injectors: seats } = buildDefaultAssembly();
    expect(await composeCached(seats, after)).toEqual(await composeCached(seats, before));
  });
});

describe('the order', () => {
  it('is that of the phases, and within them of the cache strategies and the priorities', async () => {
    const seats = [
      own('d', 'D', { priority: 1, phase: 'runtime', cache: 'dynamic' }),
      own('c', 'C', { priority: 9 }),
      own('b', 'B', { priority: 2 }),
      own('s', 'S', { priority: 1, phase: 'system', cache: 'session' }),
      own('a', 'A', { priority: 9, phase: 'system', cache: 'stable' }),
    ];
    const half = await composeCached(seats, situation());
    expect(half.parts.map(({ name }) => name)).toEqual(['a', 's']);
    expect(half.leading).toBe(`${LEADING_TITLE}\n\nB\n\nC`);
    expect((await composeTail(seats, situation(), [])).text).toBe(`${TAIL_TITLE}\n\nD`);
  });

  it('puts what is cached longer first, whatever the priorities, and does not depend on who comes first', () => {
    const placement = fc
      .record({ phase: fc.constantFrom(...PHASES), cache: fc.constantFrom(...CACHE_STRATEGIES), priority: fc.nat(100) })
      .filter(fitsPhase);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.string(), placement), { selector: ([name]) => name }), (all) => {
        const seats = all.map(([name, each]) => own(name, name, each));
        const ordered = sortInjectors(seats);
        const ranks = ordered.map(
          ({ placement: { phase, cache } }) => [PHASES.indexOf(phase), CACHE_STRATEGIES.indexOf(cache)] as const,
        );
        for (const [at, [phase, cache]] of ranks.entries()) {
          const [phaseBefore, cacheBefore] = ranks[at - 1] ?? [0, 0];
          expect(phase * 10 + cache).toBeGreaterThanOrEqual(phaseBefore * 10 + cacheBefore);
        }
        expect(sortInjectors(seats.toReversed())).toEqual(ordered);
      }),
    );
  });

  it('has dynamic content at the end only, and at the end only that', () => {
    const pairs = PHASES.flatMap((phase) => CACHE_STRATEGIES.map((cache) => ({ phase, cache })));
    expect(pairs.filter(fitsPhase).map(({ phase, cache }) => `${phase} ${cache}`)).toEqual([
      'system stable',
      'system session',
      'user-context stable',
      'user-context session',
      'runtime dynamic',
    ]);
  });

  it('has the goal and the next step at the very end, behind an injector of the user too', async () => {
    const seats = [
      ...buildDefaultAssembly().injectors,
      own('late', 'Late.', { phase: 'runtime', cache: 'dynamic', priority: 9999 }),
    ];
    const { text } = await composeTail(seats, situation({ observed: observedOf('user: Mend the forecast.') }), []);
    expect(text).toMatch(
      /\n\nLate\.\n\nCurrent Goal: Mend the forecast\.\nProgress: 0\/1 steps completed\nNext: Mend the forecast\.$/,
    );
  });
});

describe('budgets', () => {
  const long = (words: number): string => 'word '.repeat(words);

  it('cut the longest parts of a prompt to one length, and say so', async () => {
    const wide = [...parts, { name: 'context', text: long(9000) }, { name: 'rules', text: long(5000) }];
    const { parts: shown, placed } = await composeCached([seat('system-role')], situation({ parts: wide }));
    expect(shown.slice(0, 2)).toEqual(parts);
    const [context, rules] = [countTextTokens(shown[2]?.text ?? ''), countTextTokens(shown[3]?.text ?? '')];
    expect(Math.abs(context - rules)).toBeLessThanOrEqual(2);
    expect(shown[2]?.text).toMatch(/\n\[cut: 11250 tokens, and the budget is \d+\]$/);
    expect(placed[0]).toMatchObject({
      maxTokens: 2000,
      cutFrom: countTextTokens(wide.map(({ text }) => text).join('')),
    });
    expect(placed[0]?.tokens).toBeLessThanOrEqual(2000);
    expect(placed[0]?.tokens).toBeGreaterThan(1900);
  });

  it('cut the descriptions of tools before any tool is left out', async () => {
    const many = Array.from({ length: 10 }, (_, at) => ({ name: `t${at}`, description: long(at < 2 ? 3000 : 10) }));
    const { tools: shown, placed } = await composeCached([seat('tool-definitions')], situation({ tools: many }));
    expect(shown.map(({ name }) => name)).toEqual(many.map(({ name }) => name));
    expect(shown[5]?.['description']).toBe(long(10));
    expect(shown[0]?.['description']).toMatch(/\[cut: 3750 tokens, and the budget is \d+\]$/);
    expect(placed[0]?.tokens).toBeLessThanOrEqual(3000);
  });

  it('leave out the last tools where their schemas alone are too long, and name them', async () => {
    const many = Array.from({ length: 5 }, (_, at) => ({ name: `t${at}`, parameters: { enum: [long(1000)] } }));
    const { tools: shown, placed } = await composeCached([seat('tool-definitions')], situation({ tools: many }));
    expect(shown.map(({ name }) => name)).toEqual(['t0', 't1']);
    expect(placed[0]).toMatchObject({ names: ['t0', 't1'], leftOut: ['t2', 't3', 't4'], cutFrom: expect.any(Number) });
  });

  it('leave out tens of thousands of tools, and then nothing is there', async () => {
    const many = Array.from({ length: 30_000 }, (_, at) => ({ name: `t${at}`, parameters: {} }));
    const of = async (maxTokens: number): Promise<Contribution | undefined> =>
      (await composeCached([seat('tool-definitions', { maxTokens })], situation({ tools: many }))).placed[0];
    const placed = await of(100);
    expect(placed?.tokens).toBeLessThanOrEqual(100);
    expect(placed?.tokens).toBeGreaterThan(90);
    expect(placed?.leftOut).toHaveLength(many.length - (placed?.names.length ?? 0));
    expect(await of(1)).toMatchObject({ names: [], tokens: 0 });
  });

  it('hold for every injector, whatever it is given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.lorem({ mode: 'sentences', maxCount: 30 }), async (maxTokens, text) => {
        const texts = [{ path: 'a.md', text: `# ${text}\n${text}` }];
        const observed = observedOf(
          `user: ${text}`,
          calls('c', 'bash', { command: text }),
          gives('c', 'bash', `Error: ${text}`, true),
        );
        const at = situation({
          parts: [
            { name: 'a', text },
            { name: 'b', text },
          ],
          tools: [{ name: 'x', description: text }],
          observed,
          query: text,
        });
        const seats = buildDefaultAssembly().injectors.map(({ injector }) => seat(injector.name, { maxTokens, texts }));
        const { placed } = await composeCached(seats, at);
        const { placed: more } = await composeTail(seats, at, []);
        for (const { injector, tokens, cutFrom } of [...placed, ...more]) {
          if (injector !== 'tool-definitions' || cutFrom === null) expect(tokens).toBeLessThanOrEqual(maxTokens);
          if (cutFrom !== null) expect(cutFrom).toBeGreaterThan(maxTokens);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('leave half of a small window to the conversation', () => {
    const { injectors: seats } = buildDefaultAssembly();
    const sum = (all: readonly ActiveInjector[]): number =>
      all.reduce((total, { placement }) => total + placement.maxTokens, 0);
    expect(fitBudgets(seats, 200_000)).toBe(seats);
    expect(fitBudgets(seats, null)).toBe(seats);
    expect(sum(fitBudgets(seats, 8000))).toBeLessThanOrEqual(4000);
    expect(sum(fitBudgets(seats, 8000))).toBeGreaterThan(3980);
  });
});

describe('the cache optimiser', () => {
  it('writes equal tools alike, however they were declared', async () => {
    const [write, read] = tools;
    const other = [
      { parameters: { type: 'object', properties: { path: {} } }, name: read?.name ?? '', description: 'Reads' },
      {
        description: 'Writes',
        parameters: { properties: { content: {}, path: {} }, type: 'object' },
        name: write?.name ?? '',
      },
    ];
    const written = async (list: typeof other): Promise<string> =>
      JSON.stringify((await composeCached(buildDefaultAssembly().injectors, situation({ tools: list }))).tools);
    expect(await written(other)).toBe(await written(tools as typeof other));
    expect(await written(other)).toBe(
      '[{"description":"Reads","name":"read","parameters":{"properties":{"path":{}},"type":"object"}},' +
        '{"description":"Writes","name":"write","parameters":{"properties":{"content":{},"path":{}},"type":"object"}}]',
    );
  });

  const dated = (date: string, time: string) => [
    {
      name: 'preamble',
      text: `You are Pi.\nCurrent date: ${date}\nIt is ${time} now, since ${time}.\nFounded on 2019-04-02.`,
    },
  ];

  it('moves times, and dates that speak of now, from what is cached to the end', async () => {
    const seats = buildDefaultAssembly().injectors;
    const half = await composeCached(seats, situation({ parts: dated('2026-03-02', '09:30:00') }));
    expect(half.parts[0]?.text).toBe(
      'You are Pi.\nCurrent date: [date 1, at the end]\nIt is [time 2, at the end] now, since [time 2, at the end].\nFounded on 2019-04-02.',
    );
    const { text, placed } = await composeTail(seats, situation(), half.moved);
    expect(text).toBe(`${TAIL_TITLE}\n\n## Values in this request\ndate 1: 2026-03-02\ntime 2: 09:30:00`);
    expect(placed.map(({ injector }) => injector)).toEqual(['cache-optimiser']);
  });

  it('so that the cached half is the same on another day', async () => {
    const seats = [...buildDefaultAssembly().injectors, own('team', 'Last updated at 12:00:01.')];
    const one = await composeCached(seats, situation({ parts: dated('2026-03-02', '09:30:00') }));
    const other = await composeCached(seats, situation({ parts: dated('2026-03-03', '10:45:12') }));
    expect({ ...other, moved: [] }).toEqual({ ...one, moved: [] });
    expect(one.leading).toContain('Last updated at [time 3, at the end].');
  });

  it('leaves a text that is full of times as it is', async () => {
    const text = Array.from({ length: 11 }, (_, at) => `12:00:${at + 10} started`).join('\n');
    const half = await composeCached(buildDefaultAssembly().injectors, situation({ parts: [{ name: 'log', text }] }));
    expect(half.parts[0]?.text).toBe(text);
    expect(half.moved).toEqual([]);
  });
});
