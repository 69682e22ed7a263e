import { describe, expect, it } from 'vitest';
import { quoteWord, readTypedLine, splitWords } from '#live/command/typed-words.js';

describe('the words after a command', () => {
  it.each([
    ['', []],
    ['cache', ['cache']],
    ['  grep  -i "two words" \'a "b"\' ', ['grep', '-i', 'two words', 'a "b"']],
    [String.raw`grep a\ b "c\"d" --max=3`, ['grep', 'a b', 'c"d', '--max=3']],
    ["grep 'open", ['grep', 'open']],
    ['show @{turn:3} $HOME *', ['show', '@{turn:3}', '$HOME', '*']],
  ])('%j', (typed, words) => {
    expect(splitWords(typed)).toEqual(words);
  });

  it.each(['plain', '@{turn:-1}', 'two words', "it's", '"', String.raw`back\slash`, ''])(
    'are the same after they were typed back: %j',
    (word) => {
      expect(splitWords(quoteWord(word))).toEqual(word === '' ? [''] : [word]);
    },
  );

  it.each([
    ['', { words: [], before: '', last: '' }],
    ['di', { words: [], before: '', last: 'di' }],
    ['diff ', { words: ['diff'], before: 'diff ', last: '' }],
    ['diff HE', { words: ['diff'], before: 'diff ', last: 'HE' }],
    ['grep "two w', { words: ['grep'], before: 'grep ', last: 'two w' }],
    ["grep 'two ", { words: ['grep'], before: 'grep ', last: 'two ' }],
    ['grep "two ', { words: ['grep'], before: 'grep ', last: 'two ' }],
    ["grep 'two' ", { words: ['grep', 'two'], before: "grep 'two' ", last: '' }],
    [String.raw`grep two\ `, { words: ['grep'], before: 'grep ', last: 'two ' }],
    [String.raw`grep two\\ `, { words: ['grep', 'two\\'], before: String.raw`grep two\\ `, last: '' }],
  ])('%j has a last one to complete', (typed, line) => {
    expect(readTypedLine(typed)).toEqual(line);
  });
});
