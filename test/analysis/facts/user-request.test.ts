import { describe, expect, it } from 'vitest';
import { FactReader } from '#analysis/facts/fact-reader.js';

function read(content: string, hasGoal: boolean): readonly string[] {
  const reader = new FactReader();
  if (hasGoal) reader.take({ kind: 'compaction', summary: '## Goal\n- Be fast' });
  const facts = reader.take({ kind: 'message', message: { role: 'user', content } });
  return facts.map(({ kind, state, text }) => `${kind} ${state}: ${text}`);
}

describe('what a user says', () => {
  it.each<readonly [string, boolean, readonly string[]]>([
    ['Mend it.', false, ['goal open: Mend it.', 'task open: Mend it.']],
    ['Fix it.', true, ['task open: Fix it.']],
    ['Mend it.', true, ['task open: Mend it.']],
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
      ['constraint open: We only use tabs.', 'task open: We only use tabs. It always rains.'],
    ],
    ['I think we must wait.', true, ['task open: I think we must wait.']],
    ['Well, I saw that it must wait.', true, ['task open: Well, I saw that it must wait.']],
    ['Must we never wait?', true, ['task open: Must we never wait?']],
    ['"Must we never wait?")', true, ['task open: "Must we never wait?")']],
    ['You must never be in the', true, ['task open: You must never be in the']],
    ['12 must never be', true, ['task open: 12 must never be']],
    ['+ must never be', true, ['constraint open: must never be', 'task open: must never be']],
    ['We don’t know. They do not know.', true, []],
    ['Please don’t ask.', true, ['constraint open: Please don’t ask.', 'task open: Please don’t ask.']],
    [
      'They do not know. Please do not ask.',
      true,
      ['constraint open: Please do not ask.', 'task open: They do not know. Please do not ask.'],
    ],
    ['Why?', true, ['task open: Why?']],
    ['Почему так.', true, ['task open: Почему так.']],
  ])('%j with a goal (%j)', (text, hasGoal, facts) => {
    expect(read(text, hasGoal)).toEqual(facts);
  });

  it('is nothing that the client wrote', () => {
    const ran = '<local-command-stdout>\u001b[2mYou must never stop.\nFix it.\u001b[22m</local-command-stdout>';
    const caveat = '<local-command-caveat>Caveat: DO NOT respond.</local-command-caveat>';
    const done =
      '<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the output file to retrieve the result: /tmp/b1';
    const command =
      '<command-message>init</command-message>\n<command-name>/init</command-name>\n<command-args>Never touch a.ts.</command-args>';
    expect(
      [ran, caveat, done, '<system-reminder>\nAlways\n\nask.\n</system-reminder>'].flatMap((text) => read(text, false)),
    ).toEqual([]);
    expect(read(command, true)).toEqual(['constraint open: Never touch a.ts.', 'task open: Never touch a.ts.']);
  });

  it('is what is asked for where it is long, unless that is short', () => {
    const talk = 'It rained and nobody knew why it did. '.repeat(8).trim();
    const asked = 'Please split src/forecast.js into one file for dates and one for words.';
    const tasks = (text: string): readonly string[] =>
      read(text, true).flatMap((fact) => (fact.startsWith('task open: ') ? [fact.slice('task open: '.length)] : []));
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
