import type { Provenance } from '#context/replay/envelope.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, text, user } from '../example.js';
import { asThinking, atEntry, isHidden, listOf, type Model, modelName, Models } from './message.js';

const THOUGHT = [
  HEADER,
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.', thinkingSignature: 'c2ln' }, text('A README.')]),
  user('u2', 'a1', 'What does it say?'),
];

export default defineRule({
  name: 'foreign-thinking',
  group: 'provider',
  severity: 'note',
  summary: 'Thinking of another model than the newest one is not sent',
  help:
    'Thinking is signed by the model that it comes from and of no use to others. When another model goes on, Pi leaves ' +
    'out all thinking of the earlier one without a word, and with it what was only thought and never said.\n\n' +
    'Nothing has to be done. Ask the earlier model for a summary before you change models if its thoughts matter.',
  example: {
    fires: [...THOUGHT, assistant('a2', 'u2', [text('Read me.')], { model: 'claude-opus-4-5' })],
    silent: [...THOUGHT, assistant('a2', 'u2', [text('Read me.')])],
  },
  looksAt: 'request',
  watch() {
    const models = new Models();
    const thinkers = new Map<Model, Provenance>();
    let newest: Model | null = null;
    return {
      see({ message, from }) {
        if (message.role !== 'assistant') return [];
        newest = models.of(message);
        if (!isHidden(message) && !thinkers.has(newest) && listOf(message['content']).some(asThinking))
          thinkers.set(newest, from);
        return [];
      },
      *end() {
        for (const [model, from] of thinkers) if (newest && model !== newest) yield hitOf(model, newest, from);
      },
    };
  },
});

function hitOf(model: Model, newest: Model, from: Provenance): Hit {
  return {
    message: `the thinking of ${modelName(model)} is not sent to ${modelName(newest)}, here and below`,
    at: atEntry(from),
  };
}
