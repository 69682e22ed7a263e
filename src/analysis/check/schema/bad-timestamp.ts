import { defineRule, type Hit, quoteValue } from '../define.js';
import { ANSWER, HEADER, QUESTION } from '../example.js';

export default defineRule({
  name: 'bad-timestamp',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'The timestamp of an entry is missing or invalid',
  help:
    'Pi sorts branches by these times, and sends them with summaries and the messages of extensions. Pi continues ' +
    'without a valid time. Write the time as ISO 8601, such as `2026-03-02T09:00:00.000Z`.',
  example: { fires: [HEADER, QUESTION, { ...ANSWER, timestamp: 'yesterday' }], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  *find({ tree: { heads }, entry }): Generator<Hit> {
    for (let index = 0; index < heads.length; index += 1) {
      if (!Number.isNaN(heads.timeAt(index)) || heads.typeAt(index) === null) continue;
      const head = heads.at(index);
      if (!head) continue;
      const { timestamp } = entry(head);
      yield { message: describeTimestamp(timestamp), at: head, place: 'timestamp' };
    }
  },
});

function describeTimestamp(timestamp: unknown): string {
  return timestamp === undefined ? 'the entry has no timestamp' : `${quoteValue(timestamp)} is not a valid time`;
}
