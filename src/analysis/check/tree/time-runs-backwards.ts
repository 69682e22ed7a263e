import { defineRule, type Hit } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';

export default defineRule({
  name: 'time-runs-backwards',
  group: 'tree',
  severity: 'note',
  summary: 'An entry is older than its parent',
  help:
    'Pi writes an entry after its parent, so its time is later. Either the clock was set back, or somebody has moved, ' +
    'copied or changed entries. The model does not see these times, but Pi sorts the branches of its tree by them. ' +
    'Less than a minute is not reported, since clocks are set right by as much; nor are labels, which keep their ' +
    'time when a session is forked.',
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
      // An entry that says no time is never late.
      if (!(back > TOLERANCE) || heads.typeAt(index) === 'label') continue;
      const head = heads.at(index);
      if (head) yield { message: `it is ${inWords(back)} older than its parent`, at: head, related: [head.parentId] };
    }
  },
});

/** In milliseconds. */
const TOLERANCE = 60_000;

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
