import { defineRule } from '../define.js';
import { ANSWERED, HEADER, system } from '../example.js';
import { volatileHits } from './volatile-hits.js';

export default defineRule({
  name: 'dated-prefix',
  group: 'cache',
  severity: 'note',
  summary: "The system prompt or a tool holds the day's date",
  help:
    'A date at the beginning of every request makes a new cache necessary every day, and makes a session that runs past ' +
    'midnight, or is taken up on another day, read everything anew where the prompt is built again. That is milder than ' +
    'a time of day, which never finds anything in the cache. Dates are reported where they lie in the time of the ' +
    'session, or where a word such as `today` stands before them.\n\n' +
    'Put the date into the first message of the user.',
  example: { fires: promptOf('Current date: 2026-03-02'), silent: promptOf('The format was published on 1999-12-31.') },
  looksAt: 'envelope',
  find: (envelope, session) => volatileHits(envelope, session, (kind) => kind === 'date'),
});

function promptOf(text: string): readonly ReturnType<typeof system>[] {
  const [question, answer] = ANSWERED;
  return [HEADER, system('s1', null, { sections: { rules: text } }), { ...question, parentId: 's1' }, { ...answer }];
}
