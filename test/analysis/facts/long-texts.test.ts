import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInstructions } from '#analysis/facts/instructions.js';
import { splitSentences } from '#analysis/facts/sentences.js';
import { readSummaryLines } from '#analysis/facts/summary-lines.js';
import { listTerms } from '#analysis/facts/terms.js';
import { toOneLine } from '#analysis/facts/text.js';
import { findTodos } from '#analysis/facts/todos.js';
import { findErrorLine } from '#analysis/facts/tool-uses.js';
import { runs } from '../../support/runs.js';

/** With a pattern that goes back and forth, any of these takes minutes, and the test runs out of time. */
const LENGTH = 1_000_000;

function todosIn(text: string): unknown {
  return findTodos([{ role: 'assistant', content: [{ type: 'text', text }] }]);
}

function errorOf(command: string, result = 'Command exited with code 1'): string | null {
  const rest = { id: 'c1', name: 'bash', callAt: 0, resultAt: 1, isError: true };
  return findErrorLine({ ...rest, args: { command }, result });
}

describe('a long text is read in one go', () => {
  it.each<[string, () => unknown]>([
    ['lines of dots', () => splitSentences(`${'.'.repeat(3999)}\n`.repeat(LENGTH / 4000))],
    ['lines of braces', () => splitSentences(`import ${'{'.repeat(3980)}x\n`.repeat(LENGTH / 4000))],
    ['empty lines in an answer', () => todosIn(`a${'\n'.repeat(LENGTH)}b`)],
    ['empty lines in a summary', () => readSummaryLines(`a${'\n'.repeat(LENGTH)}b`)],
    ['lists of files without an end', () => readSummaryLines('<read-files>\n'.repeat(LENGTH / 10))],
    ['a heading of blanks', () => readSummaryLines(`#${' '.repeat(LENGTH)}a\u2028b`)],
    ['a long pipe', () => errorOf(`${'|grep'.repeat(LENGTH / 5)}&x`)],
    ['reminders without an end', () => findInstructions('<system-reminder>\n'.repeat(LENGTH / 20))],
    ['a line of marks', () => listTerms(`${'@'.repeat(LENGTH)}x`)],
  ])('%s', (_, read) => {
    expect(read()).toBeDefined();
  });
});

describe('what stands in a text', () => {
  it.each([
    ['Exit code 128\nfatal: no upstream branch\nsee the help', 'fatal: no upstream branch'],
    ['Getting extensions\n  error: undefined function get/2\nexit', 'error: undefined function get/2'],
    ['Every line\nENOENT: there is none\nend', 'ENOENT: there is none'],
    ['at work\nTypeError: x is not a function\nend', 'TypeError: x is not a function'],
    ['Expected nothing\nthe last line', 'the last line'],
  ])('the failure in %j', (result, line) => {
    expect(errorOf('run', result)).toBe(line);
  });

  it('an instruction, but not what the agent adds', () => {
    const added = '<system-reminder>\nNever mention this.\n</system-reminder>';
    const notified =
      '<task-notification>\nDone\n</task-notification>\nRead the output file to retrieve the result: /tmp/x';
    const texts = findInstructions(`${added}\nFix the test.\n[Request interrupted by user for tool use]\n${notified}`);
    expect(texts.map(({ text }) => text)).toEqual(['Fix the test.']);
  });

  it.each([
    ['Wait... (done.) Go!', ['Wait...', '(done.)', 'Go!']],
    ['See a.b and v1.2.3...x now', ['See a.b and v1.2.3...x now']],
    ['import {a} from 1;\nThe import is done', ['The import is done']],
  ])('sentences of %j', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  it('boxes below empty lines', () => {
    expect(todosIn('Plan:\n\n  - [ ] one\r\n\n\t* [x] two')).toEqual([
      { text: 'one', isDone: false },
      { text: 'two', isDone: true },
    ]);
  });

  it.each([
    ['==src/a.ts==', ['src/a.ts']],
    ['==@@', []],
    ['see (lib/b.ts).', ['lib/b.ts']],
  ])('terms of %j', (text, terms) => {
    expect(listTerms(text)).toEqual(terms);
  });

  it.each([
    ['cd a && grep x b', null],
    ['cat a | grep x | head', null],
    ['grep x a; make', 'Command exited with code 1'],
    ['egrepx a', 'Command exited with code 1'],
  ])('the error of %j', (command, error) => {
    expect(errorOf(command)).toBe(error);
  });
});

describe('a summary', () => {
  it.each([
    ['a\n\n<read-files>\nx.ts\n</read-files>\n\n<modified-files>\ny.ts\n</modified-files>\nb', ['a', 'b']],
    ['<read-files>\n<modified-files>\n<read-files>\nx.ts\n</read-files>\nb', ['b']],
    ['<modified-files>\n\n<read-files>\nx.ts\n</read-files>', ['<modified-files>']],
    ['a\n<read-files>\n</read-files>', ['a', '<read-files>', '</read-files>']],
    ['<read-files>\n\n</read-files>\n<read-files>\nx.ts', ['<read-files>', 'x.ts']],
  ])('leaves the lists of files out of %j, each up to its own end', (summary, lines) => {
    expect(readSummaryLines(summary).map(({ text }) => text)).toEqual(lines);
  });

  it.each([
    ['## Goal\na', 'goal'],
    ['##   Goal\u2028b\na', 'critical'],
    ['#\u2028Goal\na', 'goal'],
    ['## Goal\n#  \na', 'critical'],
  ])('knows the section of the last line of %j', (summary, section) => {
    expect(readSummaryLines(summary).at(-1)).toEqual({ section, text: 'a' });
  });
});

describe('a text on one line', () => {
  it('has one blank for each run of white space, and none at its ends', () => {
    const scraps = fc.constantFrom('a', 'b', ' ', '  ', '\n', '\t', '\u00a0', '\u2028', '\ufeff', '日');
    fc.assert(
      fc.property(fc.array(scraps, { maxLength: 12 }), (some) => {
        const text = some.join('');
        expect(toOneLine(text)).toBe(text.replaceAll(/\s+/g, ' ').trim());
      }),
      { numRuns: runs(2000) },
    );
  });
});
