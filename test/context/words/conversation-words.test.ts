import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConversationWords, readConversationWords } from '#context/words/conversation-words.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { memoryFiles } from '../../support/memory-io.js';

function wordsOf(text: string, agent = 'pi', bytes = text.length): Promise<ConversationWords> {
  return readConversationWords(memoryFiles({ 'a.jsonl': text }), { file: 'a.jsonl', agent, bytes });
}

/** A talk of about 6 MB, so that its end is read without its beginning. */
function longTalk(): Log {
  const log = new Log('long').user('u0000000', 'Why is it slow?');
  for (let at = 0; at < 60; at += 1) log.assistant(`a${at}`, `answer ${at} ${'x'.repeat(100_000)}`);
  return log;
}

describe('the words of a conversation', () => {
  it('are its first message, its last one and the last answer', async () => {
    const log = new Log('talk')
      .user('u1', 'Which file\nformats dates?')
      .assistant('a1', 'clock.ts')
      .user('u2', 'Thanks.');
    expect(await wordsOf(log.text())).toEqual({
      first: 'Which file formats dates?',
      asked: 'Thanks.',
      answered: 'clock.ts',
    });
    expect(await wordsOf(log.from('a1').entry('l1', 'custom', {}).text())).toMatchObject({ asked: null });
    expect(await wordsOf(new Log('empty').text())).toEqual({ first: null, asked: null, answered: null });
  });

  it('of a long session are read from its ends', async () => {
    const text = longTalk().user('u9', 'And now?').assistant('a99', 'Faster.').text();
    expect(await wordsOf(text)).toEqual({ first: 'Why is it slow?', asked: 'And now?', answered: 'Faster.' });
  });

  it('of another agent are read too, up to a size', async () => {
    const file = 'fixtures/agents/claude-code/session.jsonl';
    const text = readFileSync(path.join(projectFolder, file), 'utf8');
    const first = 'An order of three desk lamps at 9.95 comes to 29.84. Find out why.';
    const last = {
      asked: 'Show the total of an order on the receipt.',
      answered: 'The receipt ends with the total in euros.',
    };
    expect(await wordsOf(text, 'claude-code')).toEqual({ first, ...last });
    expect(await wordsOf(text, 'claude-code', 30e6)).toEqual({ first, asked: null, answered: null });
  });

  it('are not found in a file that is no session', async () => {
    await expect(wordsOf('{"a": 1}\n')).rejects.toThrow('neither a Pi session');
  });
});
