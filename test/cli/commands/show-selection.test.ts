import { describe, expect, it } from 'vitest';
import { selectMessages } from '#cli/commands/show/selection.js';
import { envelopeAt } from '#context/envelope-at.js';
import { numberMessages } from '#ui/parts/message-view.js';
import { Log } from '../../fixtures/log.js';
import { opened } from '../../support/entries.js';

const TALK = new Log('talk').user('u1', 'one').assistant('a1', 'two').user('u2', 'three').assistant('a2', 'four');

describe('a selection of messages', () => {
  it('finds a message by its number, also among those that another flag has selected', async () => {
    const all = numberMessages(envelopeAt(await opened(TALK.text()), 'HEAD'));
    const answers = selectMessages(all, { role: 'assistant' });
    expect(answers.map(({ number }) => number)).toEqual([2, 4]);
    expect(all.map(({ number }) => selectMessages(all, { message: number, role: 'assistant' }))).toEqual([
      [],
      [answers[0]],
      [],
      [answers[1]],
    ]);
  });
});
