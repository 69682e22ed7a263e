import { defineRule, type Hit, quoted } from '../define.js';
import { ANSWER, HEADER, QUESTION } from '../example.js';

export default defineRule({
  name: 'bad-timestamp',
  group: 'schema',
  severity: 'warning',
  summary: 'The time of an entry is missing or cannot be read',
  help:
    'Branches are put in order by these times, and summaries and the messages of extensions are sent with them. Pi ' +
    'goes on without. Write the time as ISO 8601, such as `2026-03-02T09:00:00.000Z`.',
  example: { fires: [HEADER, QUESTION, { ...ANSWER, timestamp: 'yesterday' }], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  *find({ tree: { heads }, entry }): Generator<Hit> {
    for (let index = 0; index < heads.length; index += 1) {
      if (!Number.isNaN(heads.timeAt(index)) || heads.typeAt(index) === null) continue;
      const head = heads.at(index);
      if (head) yield { message: wordsFor(entry(head)['timestamp']), at: head, place: 'timestamp' };
    }
  },
});

function wordsFor(timestamp: unknown): string {
  return timestamp === undefined ? 'the entry says no time' : `${quoted(timestamp)} is no time that can be read`;
}
