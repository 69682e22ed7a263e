import { defineRule } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { hitsOf } from './misfits.js';

function replace(content: unknown) {
  return { op: 'messages_cached_replace', messages: [{ role: 'user', content, timestamp: 0 }] };
}

export default defineRule({
  name: 'op-fields',
  group: 'schema',
  severity: 'error',
  summary: 'A message inside a patch operation is not what a message is',
  help:
    'Replay puts the messages of `messages_cached_replace` into the context as they are, so the next request fails ' +
    'as it does with any other message that lacks something. What the operation itself lacks is reported by ' +
    '[patch-fields](patch-fields.md).',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', replace(42))],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', replace('Start over.'))],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('op-fields', stored, head),
});
