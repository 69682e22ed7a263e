import { describe, expect, it } from 'vitest';
import { Log } from '../../fixtures/log.js';
import { factsOfLog, sessionIn, statedFactsOf, textsIn } from '../../support/facts.js';

const SUMMARY = `## Goal
Print dates in UTC

## Constraints & Preferences
- Never touch src/legacy.js

## Progress
### Done
All of this:
- [x] Found the bug

### In Progress
- [ ] Mend src/forecast.js

### Blocked
- No network

## Key Decisions
- **Date.UTC**: no library

## Next Steps
1. Write the changelog

### After the release
- Tell Ada

## Critical Context
- The build takes an hour

\`\`\`
- not a task
\`\`\``;

const log = (): Log => new Log('the-session');
const texts = (made: Log) => textsIn(factsOfLog(made));

describe('what a user says', () => {
  it('is the goal at first, and what was asked for is answered at the end of the turn', () => {
    const { goal, tasks, done } = texts(
      log()
        .user('u1', 'Please mend the parser.')
        .assistant('a1', 'Done. The parser takes commas now.')
        .user('u2', 'Now write a test.'),
    );
    expect(goal).toEqual(['Please mend the parser.']);
    expect(tasks).toEqual(['Now write a test.']);
    expect(done).toEqual(['Please mend the parser. → The parser takes commas now.']);
  });

  it('is the goal if it says so', () => {
    expect(
      texts(log().user('u1', 'Read the code.').user('u2', 'The goal is a faster parser. Measure first.')).goal,
    ).toEqual(['The goal is a faster parser.']);
  });

  it('is a rule if it holds on, not if it is asked for once or asked about', () => {
    const { constraints } = texts(
      log().user('u1', 'Never touch src/legacy.js. The title should be red. Must it be red?'),
    );
    expect(constraints).toEqual(['Never touch src/legacy.js.']);
  });

  it.each(['wow', 'it works now', '/compact', '```\nmake it so\n```'])('is no task where it only talks: %j', (said) => {
    expect(texts(log().user('u1', 'Read it.').user('u2', said)).tasks).toEqual(['Read it.']);
  });

  it('is a question or a sentence in another script as well', () => {
    expect(texts(log().user('u1', 'Why is it red?').user('u2', '日本語で書いてください。')).tasks).toEqual([
      'Why is it red?',
      '日本語で書いてください。',
    ]);
  });

  it('is its requests where it is long, and all of it where they are short', () => {
    const talk = 'The file has many lines and nobody knows why it has so many of them. '.repeat(5);
    const request = 'Please split src/forecast.js into a file for dates and a file for words.';
    expect(texts(log().user('u1', talk + request)).tasks).toEqual([request]);
    expect(texts(log().user('u1', `Fix it. ${talk}`)).tasks[0]).toMatch(/^Fix it\. The file has many lines.* …$/);
  });

  it('stays open where the agent was interrupted, until it answers', () => {
    const interrupted = (): Log =>
      log()
        .user('u1', 'Mend the parser.')
        .assistant('a1', 'I read', { stopReason: 'aborted' })
        .user('u2', 'Test it too.');
    expect(texts(interrupted()).tasks).toEqual(['Mend the parser.', 'Test it too.']);
    expect(texts(interrupted().assistant('a2', 'Both are done.')).done).toEqual([
      'Mend the parser.',
      'Test it too. → Both are done.',
    ]);
  });
});

describe('what an assistant says', () => {
  it('is a decision if it chooses something, not if it guesses', () => {
    const { decisions } = texts(
      log()
        .user('u1', 'Go on.')
        .assistant(
          'a1',
          'I went with Date.UTC instead of a library. It might be the cache instead of the parser. The file has two lines.',
        ),
    );
    expect(decisions).toEqual(['I went with Date.UTC instead of a library.']);
  });

  it('is a list of tasks, whose newest form counts', () => {
    const todos = (...items: readonly (readonly [string, string])[]) => ({
      todos: items.map(([content, status]) => ({ content, status })),
    });
    const { tasks, done } = texts(
      log()
        .user('u1', 'Go on.')
        .tool('t1', 'todo', todos(['Read', 'in_progress'], ['Write', 'pending'], ['Guess', 'pending']), 'ok')
        .tool('t2', 'todo', todos(['Read', 'completed'], ['Write', 'pending']), 'ok'),
    );
    expect(tasks).toEqual(['Go on.', 'Write']);
    expect(done).toEqual(['Read']);
  });

  it('keeps what one list leaves out and another still has', () => {
    const todos = { todos: [{ content: 'I will write the test.', status: 'pending' }] };
    const made = log()
      .user('u1', 'Go on.')
      .tool('t1', 'todo', todos, 'ok')
      .assistant('a1', 'I will write the test.')
      .user('u2', 'Well?')
      .assistant('a2', 'It rained.');
    expect(texts(made).tasks).toEqual(['I will write the test.']);
  });

  it('is dropped with a list that was not touched for four answers', () => {
    const made = log().user('u0', 'Read it.').assistant('a0', 'Read.\n- [ ] Mend the parser\n- [ ] Test the parser');
    for (let nth = 1; nth <= 3; nth += 1) made.user(`u${nth}`, `Show page ${nth}.`).assistant(`a${nth}`, 'Shown.');
    expect(texts(made).tasks).toEqual(['Mend the parser', 'Test the parser']);
    expect(texts(made.user('u4', 'Show page 4.').assistant('a4', 'Shown.')).tasks).toEqual([]);
  });
});

describe('what failed', () => {
  const failing = (): Log =>
    log().user('u1', 'Test it.').failedTool('t1', 'bash', { command: 'npm test' }, 'Error: 2 tests failed');

  it('blocks until the same command goes well', () => {
    expect(texts(failing()).blockers).toEqual(['`npm test` failed: Error: 2 tests failed']);
    expect(texts(failing().tool('t2', 'bash', { command: 'npm test -- one' }, 'ok')).blockers).toHaveLength(1);
    expect(
      texts(failing().tool('t2', 'bash', { command: 'cd /src && npm test 2>&1 | tail -5' }, 'ok')).blockers,
    ).toEqual([]);
  });

  it('is one line however often it fails', () => {
    expect(texts(failing().failedTool('t2', 'bash', { command: 'npm test' }, 'Error: 1 test failed')).blockers).toEqual(
      ['`npm test` failed: Error: 1 test failed'],
    );
  });

  it('blocks after the turn if it is a check, and not for ever', () => {
    const made = failing()
      .failedTool('t2', 'read', { path: 'a.js' }, 'ENOENT: no such file')
      .assistant('a1', 'They fail.');
    expect(texts(made).blockers).toEqual(['`npm test` failed: Error: 2 tests failed']);
    for (let nth = 2; nth <= 5; nth += 1) made.user(`u${nth}`, `Show page ${nth}.`).assistant(`a${nth}`, 'Shown.');
    expect(texts(made).blockers).toEqual([]);
  });

  it('does not block where the user stopped it', () => {
    expect(
      texts(log().user('u1', 'Go on.').failedTool('t1', 'bash', { command: 'npm test' }, 'Command aborted')).blockers,
    ).toEqual([]);
  });

  it('is named by a written line', () => {
    const result = `${'x=y;'.repeat(200)} throw new Error: no\nTypeError: x is not a function`;
    expect(
      texts(log().user('u1', 'Go on.').failedTool('t1', 'bash', { command: 'node a.js' }, result)).blockers,
    ).toEqual(['`node a.js` failed: TypeError: x is not a function']);
  });

  it('is repaired by a change of its file', () => {
    const made = (): Log =>
      log()
        .user('u1', 'Go on.')
        .failedTool('t1', 'read', { path: 'a.js' }, 'ENOENT: no such file')
        .failedTool('t2', 'edit', { path: 'b.js' }, 'oldText not found');
    expect(texts(made()).blockers).toEqual([
      'read a.js failed: ENOENT: no such file',
      'edit b.js failed: oldText not found',
    ]);
    expect(
      texts(made().tool('t3', 'write', { path: 'a.js' }, 'ok').tool('t4', 'read', { path: 'b.js' }, 'ok')).blockers,
    ).toEqual(['edit b.js failed: oldText not found']);
  });

  it('is the same command, however often its output goes through another one that shows it', () => {
    const shown = `npm test${' | cat'.repeat(200)}`;
    const made = log()
      .user('u1', 'Test it.')
      .failedTool('t1', 'bash', { command: `${shown} ;` }, 'Error: 1 test failed')
      .failedTool('t2', 'bash', { command: 'npm test' }, 'Error: 2 tests failed')
      .tool('t3', 'bash', { command: `${shown} 2>&1 | tail -5` }, 'all well');
    expect(factsOfLog(made).blockers.facts).toHaveLength(1);
  });
});

describe('what a summary says', () => {
  it('is taken line by line, what a heading below a known one holds too', () => {
    expect(texts(log().user('u1', 'Mend it.').assistant('a1', 'Well.').compaction('k1', SUMMARY, 'a1'))).toEqual({
      goal: ['Print dates in UTC'],
      constraints: ['Never touch src/legacy.js'],
      decisions: ['**Date.UTC**: no library'],
      tasks: ['Mend src/forecast.js', 'Write the changelog', 'Tell Ada'],
      blockers: ['No network'],
      done: ['Mend it. → Well.', 'Found the bug'],
    });
  });

  it('keeps what a compaction took out of the context', () => {
    const { constraints } = texts(
      log().user('u1', 'Never touch src/legacy.js.').assistant('a1', 'Fine.').compaction('k1', 'what happened', 'a1'),
    );
    expect(constraints).toEqual(['Never touch src/legacy.js.']);
  });

  it('lets a newer summary take the place of tasks and blockers, and adds to the rest', () => {
    const newer =
      '## Goal\nPrint dates in UTC, and times\n\n## Progress\n### Done\n- [x] Mend src/forecast.js\n\n## Key Decisions\n- No seconds';
    const found = texts(log().user('u1', 'Mend it.').compaction('k1', SUMMARY, 'u1').compaction('k2', newer, 'u1'));
    expect(found).toMatchObject({
      goal: ['Print dates in UTC, and times'],
      tasks: ['Mend it.'],
      blockers: [],
      decisions: ['**Date.UTC**: no library', 'No seconds'],
    });
    expect(found.done).toContain('Mend src/forecast.js');
  });

  it('of a branch is not the goal, but all the rest', () => {
    const found = texts(log().user('u1', 'Mend it.').entry('b1', 'branch_summary', { summary: SUMMARY, fromId: 'x' }));
    expect(found).toMatchObject({
      goal: ['Mend it.'],
      blockers: ['No network'],
      constraints: ['Never touch src/legacy.js'],
    });
    expect(found.tasks).toContain('Write the changelog');
  });

  it('is found in a transform too', () => {
    const op = {
      op: 'compaction_apply',
      scope: 'cached',
      summary: SUMMARY,
      timestamp: 0,
      firstKeptMessageIndex: 1,
      invalidateCacheReason: 'x',
    };
    expect(texts(log().user('u1', 'Mend it.').transform('t1', 'compaction', [op])).goal).toEqual([
      'Print dates in UTC',
    ]);
  });
});

describe('an edit', () => {
  const secret = (): Log => log().user('u1', 'Read it.').user('u2', 'Never use the key 1234.').assistant('a1', 'Fine.');

  it('that leaves an entry out takes its facts out', () => {
    expect(texts(secret().edit('e1', 'u2', null))).toMatchObject({ constraints: [], done: ['Read it. → Fine.'] });
  });

  it('that replaces an entry lets only the new words count; the newest edit does', () => {
    const made = secret().edit('e1', 'u2', null).edit('e2', 'u2', { content: 'Never use the key.' });
    expect(texts(made).constraints).toEqual(['Never use the key.']);
  });

  it('of a prune takes nothing out', () => {
    const made = secret()
      .edit('e1', 'u2', { content: 'Never use a key.' })
      .entry('p1', 'custom', { customType: 'ctx.prune', data: { entries: 2 } })
      .edit('e2', 'u2', null)
      .entry('p2', 'custom_message', { customType: 'ctx.packet', content: 'Never read this packet.', display: false });
    expect(texts(made).constraints).toEqual(['Never use a key.']);
  });

  it('of a prune adds nothing: its packet is not a summary', () => {
    const summary = '## Constraints\n- Never read this packet.';
    const made = (details: object): readonly string[] =>
      texts(secret().compaction('k1', summary, 'u2', { tokensBefore: 9, details })).constraints;
    expect(made({ customType: 'ctx.packet' })).not.toContain('Never read this packet.');
    expect(made({})).toContain('Never read this packet.');
  });
});

describe('the source of a candidate', () => {
  it('is named with the entry, its line, and its time', () => {
    const [goal, rule] = statedFactsOf(sessionIn(log().user('u1', 'Never touch src/legacy.js.').text()));
    expect(goal).toMatchObject({
      kind: 'goal',
      time: Date.UTC(2026, 2, 2, 9, 1),
      source: { entryId: 'u1', line: 2, kind: 'user', place: 0 },
    });
    expect(rule).toMatchObject({ kind: 'constraint', source: { entryId: 'u1', place: 1 } });
  });

  it('has the time of the entry above where an entry has none', () => {
    const made = log()
      .user('u1', 'Read it.')
      .entry('u2', 'message', { message: { role: 'user', content: 'Write it.' }, timestamp: 'never' });
    expect(statedFactsOf(sessionIn(made.text())).map(({ time }) => time)).toEqual(
      Array.from({ length: 3 }, () => Date.UTC(2026, 2, 2, 9, 1)),
    );
  });

  it('is on the path only', () => {
    const made = log()
      .user('u1', 'Read it.')
      .assistant('a1', 'Read.')
      .user('u2', 'Never mind the tests.')
      .from('a1')
      .user('u3', 'Write it.');
    expect(texts(made)).toMatchObject({ constraints: [], tasks: ['Write it.'] });
  });
});
