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
  summary: 'Thinking of an earlier model is not sent to the newest one',
  help:
    'Thinking is signed by its model and cannot be used by others. When another model continues, Pi silently omits ' +
    'all thinking of the earlier model. Conclusions that were only in the thinking are lost.\n\n' +
    'No action is needed. If the thinking matters, ask the earlier model for a summary before you change models.',
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
    message: `the thinking of ${modelName(model)} is not sent to ${modelName(newest)}, from here on`,
    at: atEntry(from),
  };
}
