import { defineRule } from '../define.js';
import { ANSWERED, HEADER, system } from '../example.js';
import { volatileHits } from './volatile-hits.js';

export default defineRule({
  name: 'volatile-prefix',
  group: 'cache',
  severity: 'warning',
  summary: 'The system prompt or a tool holds a time, a random id or the like',
  help:
    'What stands at the beginning of every request is cached as long as it is the same, byte for byte. A clock time, a ' +
    'UUID, a random or process id or a temporary path is new in every session, and often in every request, so nothing ' +
    'behind it is ever found in the cache. Times are reported where they lie in the time of the session, or where a ' +
    'word such as `now` or `current` stands before them. Dates are the matter of `dated-prefix`.\n\n' +
    'Put it into the newest message of the user, where it invalidates nothing.',
  example: { fires: promptOf('Current time: 09:31:05'), silent: promptOf('The stand-up is at 9.') },
  looksAt: 'envelope',
  find: (envelope, session) => volatileHits(envelope, session, (kind) => kind !== 'date'),
});

function promptOf(text: string): readonly ReturnType<typeof system>[] {
  const [question, answer] = ANSWERED;
  return [HEADER, system('s1', null, { sections: { rules: text } }), { ...question, parentId: 's1' }, { ...answer }];
}
