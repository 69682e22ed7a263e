import { describe, expect, it } from 'vitest';
import { readDecisionFacts, readSummaryFacts, readTodoFacts } from '#analysis/facts/fact-reader.js';
import {
  type Fact,
  readFailure,
  readNextSteps,
  readOutcome,
  readPendingCalls,
  readUserFacts,
  toFact,
  toFactKey,
} from '#analysis/facts/fact.js';
import type { LlmMessage } from '#context/replay/content.js';

const told = (facts: readonly Fact[]): readonly string[] =>
  facts.map(({ kind, state, text }) => `${kind} ${state}: ${text}`);

describe('a fact', () => {
  it('is one line, open by default, without an outcome', () => {
    expect(toFact('task', ' Mend\n the *parser*. ')).toEqual({
      kind: 'task',
      key: 'mend the parser',
      text: 'Mend the *parser*.',
      state: 'open',
      outcome: null,
    });
    expect(toFact('blocker', 'It broke', 'gone', 'well')).toMatchObject({ state: 'gone', outcome: 'well' });
  });

  it('is cut where it is long, a goal later, and has the key of what is left', () => {
    const long = 'x'.repeat(500);
    expect(toFact('task', long)).toMatchObject({ text: `${'x'.repeat(298)} …`, key: 'x'.repeat(298) });
    expect(toFact('goal', long)).toMatchObject({ text: `${'x'.repeat(398)} …`, key: 'goal' });
    expect(toFact('task', 'x'.repeat(300)).text).toHaveLength(300);
  });

  it.each([
    ['Mend IT.', 'mend it'],
    ['mend it?! …', 'mend it'],
    ['Mend: it', 'mend: it'],
    ['**Mend** `it`;', 'mend it'],
    ['...', ''],
  ])('%j has the key %j', (text, key) => {
    expect(toFactKey(text)).toBe(key);
  });
});

describe('what a user says', () => {
  it.each<readonly [string, boolean, readonly string[]]>([
    ['Mend it.', false, ['goal open: Mend it.', 'task open: Mend it.']],
    ['Fix it.', true, ['task open: Fix it.']],
    ['Mend it.', true, []],
    ['The goal is speed. Mend it.', true, ['goal open: The goal is speed.', 'task open: The goal is speed. Mend it.']],
    ['Ok, now our next task: speed. It rained.', true, ['goal open: Ok, now our next task: speed.']],
    ['The goal was speed. It rained.', true, []],
    ['It rained.', false, ['goal open: It rained.', 'task open: It rained.']],
    ['It rained.', true, []],
    ['', false, []],
    ['Never touch a.ts!', true, ['constraint open: Never touch a.ts!', 'task open: Never touch a.ts!']],
    [
      'We only use tabs. It always rains.',
      true,
      [
        'constraint open: We only use tabs.',
        'constraint open: It always rains.',
        'task open: We only use tabs. It always rains.',
      ],
    ],
    ['I think we must wait.', true, ['task open: I think we must wait.']],
    ['Well, I saw that it must wait.', true, ['task open: Well, I saw that it must wait.']],
    ['Must we never wait?', true, ['task open: Must we never wait?']],
    ['"Must we never wait?")', true, ['task open: "Must we never wait?")']],
    ['You must never be in the', true, ['task open: You must never be in the']],
    ['12 must never be', true, ['task open: 12 must never be']],
    ['+ must never be', true, ['constraint open: must never be', 'task open: must never be']],
    ['We don’t know. They do not know.', true, ['task open: We don’t know. They do not know.']],
    [
      'They do not know. Please do not ask.',
      true,
      ['constraint open: Please do not ask.', 'task open: They do not know. Please do not ask.'],
    ],
    ['Why?', true, ['task open: Why?']],
    ['Почему так.', true, ['task open: Почему так.']],
  ])('%j with a goal (%j)', (text, hasGoal, facts) => {
    expect(told(readUserFacts(text, hasGoal))).toEqual(facts);
  });

  it('is nothing that the client wrote', () => {
    const ran = '<local-command-stdout>\u001b[2mYou must never stop.\nFix it.\u001b[22m</local-command-stdout>';
    const caveat = '<local-command-caveat>Caveat: DO NOT respond.</local-command-caveat>';
    const done =
      '<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the output file to retrieve the result: /tmp/b1';
    const command =
      '<command-message>init</command-message>\n<command-name>/init</command-name>\n<command-args>Never touch a.ts.</command-args>';
    expect(
      [ran, caveat, done, '<system-reminder>\nAlways\n\nask.\n</system-reminder>'].flatMap((text) =>
        readUserFacts(text, false),
      ),
    ).toEqual([]);
    expect(told(readUserFacts(command, true))).toEqual([
      'constraint open: Never touch a.ts.',
      'task open: Never touch a.ts.',
    ]);
  });

  it('is what is asked for where it is long, unless that is short', () => {
    const talk = 'It rained and nobody knew why it did. '.repeat(8).trim();
    const asked = 'Please split src/forecast.js into one file for dates and one for words.';
    const tasks = (text: string): readonly string[] =>
      readUserFacts(text, true).flatMap(({ kind, text: said }) => (kind === 'task' ? [said] : []));
    expect(tasks(`${talk} ${asked}`)).toEqual([asked]);
    expect(tasks(`${talk} ${asked} Add a test.`)).toEqual([`${asked} Add a test.`]);
    expect(tasks(`${talk} Add a test.`)).toEqual([`${talk} Add a test.`.slice(0, 298) + ' …']);
    const sixty = `Add ${'a'.repeat(55)}.`;
    expect(tasks(`${talk} ${sixty}`)).toEqual([sixty]);
    expect(tasks(`${talk} ${sixty.replace('aa', 'a')}`)[0]).toMatch(/^It rained/);
    const short = `${'x'.repeat(300 - 1 - asked.length - 1)}. ${asked}`;
    expect([short.length, tasks(short)]).toEqual([300, [short]]);
    expect(tasks(`x${short}`)).toEqual([asked]);
    expect(tasks(`${talk} Why did it rain on that day, and on no other day of that long year?`)).toEqual([
      'Why did it rain on that day, and on no other day of that long year?',
    ]);
  });
});

describe('what an assistant says', () => {
  const saying = (...lines: readonly string[]): LlmMessage => ({
    role: 'assistant',
    content: [{ type: 'text', text: lines.join('\n') }],
  });

  it('is a decision, a list of tasks, what comes next, and what came of it', () => {
    expect(
      told(readDecisionFacts(saying('I chose a.ts. It is so because it rained. If it is a.ts instead of b.ts, fine.'))),
    ).toEqual(['decision open: I chose a.ts.']);
    expect(told(readTodoFacts(saying('- [ ] Read', '- [x] Write')))).toEqual(['task open: Read', 'task done: Write']);
    expect(told(readNextSteps('It works. Next I will test it. Then what?'))).toEqual([
      'task open: Next I will test it.',
    ]);
  });

  it.each([
    ['Done. It works now.', 'It works now.'],
    ['Done now ok. It works.', 'Done now ok. It works.'],
    ['Done now ok. It works well.', 'It works well.'],
    ['Done now oki. It works well.', 'Done now oki. It works well.'],
    ['Perfect! Fine.', 'Perfect! Fine.'],
    ['It works. Fine.', 'It works. Fine.'],
    ['It works well now. Fine.', 'It works well now. Fine.'],
    ['', null],
    ['```\nIt works now.\n```', null],
    [`It ${'is '.repeat(100)}good.`, `It ${'is '.repeat(65)} …`],
  ])('%j came of it: %j', (text, outcome) => {
    expect(readOutcome(text)).toBe(outcome);
  });
});

describe('what a summary says', () => {
  const SUMMARY = [
    'Before.',
    '## Goal',
    '- Be fast.',
    '- Be small;',
    '## Constraints',
    '- Never touch a.ts.',
    '- Files:',
    '- …',
    '## Progress',
    '### Done',
    '- [x] Read',
    '- [ ] Looked',
    '### In Progress',
    '- [X] Write',
    '- [ ] Test',
    '### Blocked',
    '- [x] No network',
    '## Key Decisions',
    '- One file',
    '## Next Steps',
    '1. [x] Run',
    '2. Ship',
    '## Critical Context',
    '- It rains',
  ].join('\n');
  const rest = [
    'constraint open: Never touch a.ts.',
    'task done: Read',
    'task done: Looked',
    'task done: Write',
    'task open: Test',
    'blocker open: No network',
    'decision open: One file',
    'task done: Run',
    'task open: Ship',
  ];

  it('is a fact for each line of a section, but one goal', () => {
    expect(told(readSummaryFacts('compaction', SUMMARY))).toEqual(['goal open: Be fast; Be small', ...rest]);
    expect(told(readSummaryFacts('compaction', '## Goal\n(none)\n'))).toEqual([]);
    const long = readSummaryFacts('compaction', `## Goal\n- ${'x'.repeat(250)}\n- ${'y'.repeat(250)}`);
    expect(long.map(({ text }) => text)).toEqual([`${'x'.repeat(250)}; ${'y'.repeat(146)} …`]);
  });

  it('is the same for a branch, but no goal', () => {
    expect(told(readSummaryFacts('branch', SUMMARY))).toEqual(rest);
  });
});

describe('a call', () => {
  it.each([
    ['git push 2>&1', 'git push'],
    ['git push --set-upstream origin main 2>&1', 'git push'],
    ['git add -A && git commit -m "a && b"', 'git add && git commit'],
    ['git -C a push', 'git -C a push'],
    ['npm run build --if-present', 'npm run build'],
    ['npm test -- a.ts', 'npm test -- a.ts'],
    ['npm test -- b.ts', 'npm test -- b.ts'],
    ['curl -s https://a.example', 'curl -s https://a.example'],
    ['cd /a && pytest tests/a.py -q | tail -5', 'pytest tests/a.py'],
  ])('of %j is one of %j with any options', (command, program) => {
    expect(callOf('bash', { command }).program).toBe(program);
  });

  const calls = (...content: readonly object[]) => readPendingCalls({ role: 'assistant', content });
  const callOf = (name: string, args: object) => calls({ type: 'toolCall', id: 'c', name, arguments: args }).get('c')!;

  it.each<readonly [string, object, string, readonly string[], string | null, boolean]>([
    ['bash', { command: 'npm test' }, '`npm test`', ['ran npm test'], 'npm test', true],
    ['bash', { command: 'ls -l' }, '`ls -l`', ['ran ls -l'], 'ls -l', false],
    [
      'bash',
      { command: 'cd /a && cd b; npm test 2>&1 | tail -5 | cat' },
      '`cd /a && cd b; npm test 2>&1 | tail -5 | cat`',
      ['ran npm test'],
      'cd /a && cd b; npm test 2>&1 | tail -5 | cat',
      true,
    ],
    [
      'bash',
      { command: 'ls | head -1 | wc' },
      '`ls | head -1 | wc`',
      ['ran ls | head -1 | wc'],
      'ls | head -1 | wc',
      false,
    ],
    ['bash', { command: 'ls; cd /a; ls' }, '`ls; cd /a; ls`', ['ran ls; cd /a; ls'], 'ls; cd /a; ls', false],
    ['bash', { command: ' ls 2>&1' }, '`ls 2>&1`', ['ran ls'], 'ls 2>&1', false],
    ['read', { path: 'a.ts' }, 'read a.ts', ['read a.ts'], null, false],
    ['edit', { path: 'a.ts' }, 'edit a.ts', ['modified a.ts', 'read a.ts'], null, false],
    ['ask', {}, 'ask', ['called ask'], null, false],
  ])('of %s with %j', (name, args, attempt, keys, command, isLasting) => {
    expect(callOf(name, args)).toMatchObject({ attempt, keys, command, isLasting });
  });

  it('is known by its id, and by the beginning of what it runs', () => {
    expect(
      [
        ...calls(
          { type: 'toolCall', id: 'a', name: 'x' },
          { type: 'text', text: 'x' },
          { type: 'toolCall', id: 'b', name: 'y' },
        ),
      ].map(([id, { keys }]) => [id, keys]),
    ).toEqual([
      ['a', ['called x']],
      ['b', ['called y']],
    ]);
    expect(callOf('bash', { command: `echo ${'x'.repeat(3000)}` }).keys).toEqual([`ran echo ${'x'.repeat(1995)}`]);
  });

  const failed = (name: string, args: object, text: string, isError = true) =>
    readFailure(
      { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text }], isError },
      callOf(name, args),
    );

  it('fails with its error message', () => {
    expect(failed('bash', { command: 'npm test 2>&1' }, 'one\nError: two\nthree')).toEqual({
      kind: 'blocker',
      key: 'ran npm test',
      text: '`npm test 2>&1` failed: Error: two',
      state: 'open',
      outcome: null,
    });
    expect(failed('edit', { path: 'a.ts' }, 'oldText not found')?.key).toBe('modified a.ts');
  });

  it.each([
    ['it went well', 'read', { path: 'a' }, 'Error: x', false],
    ['a search found nothing', 'bash', { command: 'grep x a.ts' }, 'Command exited with code 1', true],
    ['somebody stopped it', 'bash', { command: 'npm test' }, 'Operation aborted', true],
    ['somebody cancelled it', 'read', { path: 'a' }, 'request was cancelled by the user', true],
  ])('does not fail where %s', (_, name, args, text, isError) => {
    expect(failed(name, args, text, isError)).toBeNull();
  });
});
