import { isFailedAnswer } from '#context/replay/convert.js';
import type { Provenance } from '#context/replay/envelope.js';
import { isAnswer } from '#session/heads/answer.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, textContent, user } from '../example.js';
import { type AnswerModel, AnswerModels, describeModel } from './answer-model.js';
import { contentListOf, locateEntry } from './message.js';
import { readThinking } from './thinking.js';

const THOUGHT = [
  HEADER,
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.', thinkingSignature: 'c2ln' }, textContent('A README.')]),
  user('u2', 'a1', 'What does it say?'),
];

export default defineRule({
  name: 'foreign-thinking',
  severity: 'note',
  summary: 'Thinking of an earlier model is not sent to the newest one',
  help:
    'Thinking is signed by its model and cannot be used by others. When another model continues, Pi silently omits ' +
    'all thinking of the earlier model. Conclusions that were only in the thinking are lost.\n\n' +
    'No action is needed. If the thinking matters, ask the earlier model for a summary before you change models.',
  example: {
    fires: [...THOUGHT, assistant('a2', 'u2', [textContent('Read me.')], { model: 'claude-opus-4-5' })],
    silent: [...THOUGHT, assistant('a2', 'u2', [textContent('Read me.')])],
  },
  looksAt: 'request',
  watch() {
    const models = new AnswerModels();
    const thinkers = new Map<AnswerModel, Provenance>();
    let newest: AnswerModel | null = null;
    return {
      see({ message, from }) {
        if (!isAnswer(message)) return [];
        newest = models.readModel(message);
        if (!isFailedAnswer(message) && !thinkers.has(newest) && contentListOf(message).some(readThinking))
          thinkers.set(newest, from);
        return [];
      },
      *end() {
        if (newest === null) return;
        for (const [model, from] of thinkers) {
          if (model !== newest) yield buildHit(model, newest, from);
        }
      },
    };
  },
});

function buildHit(model: AnswerModel, newest: AnswerModel, from: Provenance): Hit {
  return {
    message: `the thinking of ${describeModel(model)} is not sent to ${describeModel(newest)}, from here on`,
    at: locateEntry(from),
  };
}
