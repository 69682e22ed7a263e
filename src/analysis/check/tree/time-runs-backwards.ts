import { defineRule, type Hit } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';

/** A rule of the group `tree`, about the time between two entries. */
export default defineRule({
  name: 'time-runs-backwards',
  severity: 'note',
  isOnlyForPi: true,
  summary: 'An entry is older than its parent',
  help:
    'Pi writes an entry after its parent, so its time is later. Either the clock was set back, or entries were ' +
    'moved, copied or changed. The model does not see these times, but Pi sorts the branches of its tree by them. ' +
    'Differences of less than a minute are not reported, since clock corrections cause them. Labels are not ' +
    'reported either: they keep their time when a session is forked.',
  example: {
    fires: [HEADER, QUESTION, ANSWER, { ...NEXT, timestamp: '2026-03-02T08:00:00.000Z' }],
    silent: [HEADER, QUESTION, ANSWER, { ...NEXT, timestamp: '2026-03-02T08:59:30.000Z' }],
  },
  looksAt: 'session',
  *find({ tree: { heads } }): Generator<Hit> {
    const { length } = heads;
    for (let index = 0; index < length; index += 1) {
      const parent = heads.parentAt(index);
      if (parent === -1) continue;
      const back = heads.timeAt(parent) - heads.timeAt(index);
      // An entry without a time is never reported.
      if (!(back > TOLERANCE) || heads.typeAt(index) === 'label') continue;
      const head = heads.at(index);
      if (head)
        yield { message: `it is ${describeSpan(back)} older than its parent`, at: head, related: [head.parentId] };
    }
  },
});

/** The tolerance in milliseconds. */
const TOLERANCE = 60_000;

function describeSpan(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
