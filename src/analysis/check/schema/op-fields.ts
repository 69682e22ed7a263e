import type { JsonObject } from '#base/json.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'op-fields',
  severity: 'error',
  summary: 'A message in a patch operation is invalid',
  help:
    'Replay puts the messages of `messages_cached_replace` into the context unchanged, so the next request fails ' +
    'like with any other invalid message. Invalid fields of the operation itself are reported by ' +
    '[patch-fields](patch-fields.md).',
  example: {
    fires: [HEADER, ...ANSWERED, transform('x1', 'a1', replaceMessages(42))],
    silent: [HEADER, ...ANSWERED, transform('x1', 'a1', replaceMessages('Start over.'))],
  },
});

function replaceMessages(content: unknown): JsonObject {
  return { op: 'messages_cached_replace', messages: [{ role: 'user', content, timestamp: 0 }] };
}
