import { describe, expect, it } from 'vitest';
import { injectors } from '#lab/injectors/index.js';
import { calls, gives, observedOf, situation, textBy } from '../../support/situations.js';

describe('the injectors', () => {
  it('have the phases, cache strategies and budgets of the design', () => {
    expect(injectors.map(({ name, phase, cache, maxTokens }) => [name, phase, cache, maxTokens])).toEqual([
      ['system-role', 'system', 'stable', 2000],
      ['tool-definitions', 'system', 'stable', 3000],
      ['skills', 'system', 'stable', 1000],
      ['memory', 'user-context', 'session', 500],
      ['knowledge', 'user-context', 'session', 800],
      ['playbook', 'user-context', 'session', 300],
      ['plan-status', 'runtime', 'dynamic', 300],
      ['error-retention', 'runtime', 'dynamic', 300],
      ['todo-rewriter', 'runtime', 'dynamic', 200],
    ]);
  });

  it('may take about 6% of a window of 200,000 tokens', () => {
    const all = injectors.reduce((sum, { maxTokens }) => sum + maxTokens, 0);
    expect(all / 200_000).toBeLessThan(0.06);
  });

  it.each(injectors)('$name says nothing where there is nothing to say', async ({ inject }) => {
    expect(await inject(situation(), { texts: [], top: 3, maxTokens: 500 })).toBe(null);
  });
});

const SKILL = '# Release\nRun the tests, then tag.';

describe('skills', () => {
  it('are those whose instructions were read', async () => {
    const observed = observedOf(
      'user: Release it.',
      calls('c1', 'read', { path: '/home/ada/.pi/skills/release/SKILL.md' }),
      gives('c1', 'read', SKILL),
    );
    expect(await textBy('skills', situation({ observed }))).toBe(`## release\n${SKILL}`);
  });

  it('are those that the user names, as Pi writes that', async () => {
    const observed = observedOf(`user: <skill name="release" location="/s/SKILL.md">\n${SKILL}\n</skill>\n\nversion 2`);
    expect(await textBy('skills', situation({ observed }))).toBe(`## release\n${SKILL}`);
    expect(observed.firstAsked).toBe('release version 2');
  });

  it('are not those that could not be read, and other files are none', async () => {
    const observed = observedOf(
      'user: Release it.',
      calls('c1', 'read', { path: 'skills/release/SKILL.md' }),
      gives('c1', 'read', 'no such file', true),
      calls('c2', 'read', { path: 'README.md' }),
      gives('c2', 'read', '# Weather'),
    );
    expect(await textBy('skills', situation({ observed }))).toBe(null);
  });

  it('begin with the newest, which is cut last', async () => {
    const observed = observedOf(
      'user: Go.',
      calls('c1', 'read', { path: 'a/SKILL.md' }),
      gives('c1', 'read', 'first'),
      calls('c2', 'read', { path: 'b/SKILL.md' }),
      gives('c2', 'read', 'second'),
    );
    expect(await textBy('skills', situation({ observed }))).toBe('## b\nsecond\n\n## a\nfirst');
  });
});

const MEMORY = [
  {
    path: 'MEMORY.md',
    text: '# Ada\n\n- Prefers short answers.\n- Works in Auckland,\n  and is up early.\n- Wants dates in UTC everywhere.\n\nShe reviews on Fridays.\n- Uses tabs.',
  },
];

describe('memory', () => {
  it('is the three points that fit best, and the first ones where none fits', async () => {
    expect(await textBy('memory', situation({ query: 'Print the dates right' }), { texts: MEMORY })).toBe(
      '- Wants dates in UTC everywhere.\n- Prefers short answers.\n- Works in Auckland, and is up early.',
    );
    expect(await textBy('memory', situation({ query: '' }), { texts: MEMORY })).toBe(
      '- Prefers short answers.\n- Works in Auckland, and is up early.\n- Wants dates in UTC everywhere.',
    );
  });

  it('takes as many points as it is told', async () => {
    expect(await textBy('memory', situation({ query: 'tabs' }), { texts: MEMORY, top: 1 })).toBe('- Uses tabs.');
  });
});

const KNOWLEDGE = [
  {
    path: 'docs/dates.md',
    text: '# Dates\n\nAll dates are kept in UTC.\n\n## Formatting\n\n`isoDate` prints a date.\n\n```md\n# not a heading\n```',
  },
  { path: 'docs/release.md', text: '# Release\n\nTag, then publish.' },
  { path: 'docs/tests.md', text: '# Tests\n\nTests run in three time zones, for dates.' },
];

describe('knowledge', () => {
  it('is the sections that speak of what was asked for, best first, with their paths', async () => {
    expect(
      await textBy('knowledge', situation({ query: 'The formatting of dates is wrong' }), { texts: KNOWLEDGE }),
    ).toBe(
      [
        'From docs/dates.md, Dates › Formatting:\n`isoDate` prints a date.\n\n```md\n# not a heading\n```',
        'From docs/dates.md, Dates:\nAll dates are kept in UTC.',
        'From docs/tests.md, Tests:\nTests run in three time zones, for dates.',
      ].join('\n\n'),
    );
  });

  it('is nothing where no word fits, or only words that say little', async () => {
    expect(await textBy('knowledge', situation({ query: 'Pancakes?' }), { texts: KNOWLEDGE })).toBe(null);
    expect(await textBy('knowledge', situation({ query: 'what is it and how can I' }), { texts: KNOWLEDGE })).toBe(
      null,
    );
  });

  it('is the same whatever the order in which it is asked for', async () => {
    const ask = () => textBy('knowledge', situation({ query: 'dates in tests' }), { texts: KNOWLEDGE });
    expect(await ask()).toBe(await ask());
  });
});

describe('the playbook', () => {
  it('is the one strategy that fits best', async () => {
    const texts = [
      {
        path: 'p.md',
        text: '# Mend a bug\nWrite a test that fails first.\n\n# Add a feature\nWrite the manual first.',
      },
    ];
    expect(await textBy('playbook', situation({ query: 'There is a bug in the forecast' }), { texts })).toBe(
      'Mend a bug:\nWrite a test that fails first.',
    );
    expect(await textBy('playbook', situation({ query: 'Hello' }), { texts })).toBe(null);
  });
});

const PLAN = calls('c1', 'todo', {
  todos: [
    { content: 'Find the bug', status: 'completed' },
    { content: 'Write a test', status: 'in_progress' },
    { content: 'Mend it', status: 'pending' },
  ],
});

describe('a branch that was left', () => {
  it('is summed up, and not what a user said', () => {
    const observed = observedOf('user: Mend it.', {
      role: 'branchSummary' as 'user',
      summary: '## Goal\nTry Temporal\n\n## Next Steps\n1. Look at it again',
    });
    expect(observed.newestAsked).toBe('Mend it.');
    expect(observed.facts.tasks.facts.map(({ text }) => text)).toContain('Look at it again');
  });
});

describe('the plan', () => {
  it('is the last list of tasks, what is open first', async () => {
    const observed = observedOf('user: Mend the forecast.', PLAN, gives('c1', 'todo', 'ok'));
    expect(await textBy('plan-status', situation({ observed }))).toBe(
      '- [ ] Write a test\n- [ ] Mend it\n- [x] Find the bug',
    );
  });

  it('is what was asked for where there is no list', async () => {
    const observed = observedOf('user: Mend the forecast.', 'assistant: Done.', 'user: Add a test too.');
    expect(await textBy('plan-status', situation({ observed }))).toBe(
      '- [ ] Add a test too.\n- [x] Mend the forecast.',
    );
  });
});

describe('errors', () => {
  const failed = (id: string, command: string) => [
    calls(id, 'bash', { command }),
    gives(id, 'bash', 'Error: it broke', true),
  ];

  it('stay with how they ended, the newest first, each once', async () => {
    const observed = observedOf(
      'user: Build it.',
      ...failed('c1', 'npm run build'),
      ...failed('c2', 'npm test'),
      ...failed('c3', 'npm test'),
      calls('c4', 'bash', { command: 'npm run build' }),
      gives('c4', 'bash', 'ok'),
    );
    expect(await textBy('error-retention', situation({ observed }))).toBe(
      '- `npm test` failed: Error: it broke (2 times) → still failing\n' +
        '- `npm run build` failed: Error: it broke → succeeded later',
    );
  });

  it('that were not retried are listed as such once the turn is over', async () => {
    const observed = observedOf(
      'user: Look.',
      calls('c1', 'read', { path: 'a.js' }),
      gives('c1', 'read', 'Error: no such file', true),
      'assistant: There is none.',
    );
    expect(await textBy('error-retention', situation({ observed }))).toBe(
      '- read a.js failed: Error: no such file → not retried',
    );
  });
});

describe('the todo rewriter', () => {
  it('says goal, progress and the next step', async () => {
    const observed = observedOf('user: Mend the forecast.', PLAN, gives('c1', 'todo', 'ok'));
    expect(await textBy('todo-rewriter', situation({ observed }))).toBe(
      'Current Goal: Mend the forecast.\nProgress: 1/3 steps completed\nNext: Write a test',
    );
  });

  it('fits into its budget with all three lines, however long they are', async () => {
    const long = 'word '.repeat(2000);
    const todos = calls('c1', 'todo', { todos: [{ content: long, status: 'pending' }] });
    const observed = observedOf(`user: Mend ${long}`, todos, gives('c1', 'todo', 'ok'));
    const text = (await textBy('todo-rewriter', situation({ observed }))) ?? '';
    expect(text.split('\n')).toHaveLength(3);
    expect(text.length).toBeLessThanOrEqual(200 * 4);
  });

  it('has less of the goal where there is less room, and still all three lines', async () => {
    const observed = observedOf(
      `user: Mend ${'the forecast of the weather '.repeat(20)}`,
      PLAN,
      gives('c1', 'todo', 'ok'),
    );
    const text = (await textBy('todo-rewriter', situation({ observed }), { maxTokens: 30 })) ?? '';
    expect(text).toMatch(/^Current Goal: Mend .* …\nProgress: 1\/3 steps completed\nNext: Write a test$/);
    expect(text.length).toBeLessThanOrEqual(120);
  });

  it('uses the first words of the user without a goal', async () => {
    expect(await textBy('todo-rewriter', situation({ observed: observedOf('user: 40 +\n2') }))).toBe(
      'Current Goal: 40 + 2',
    );
  });
});
