import { ANSWERED, entry, HEADER } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'dangling-compaction',
  severity: 'warning',
  summary: 'The first entry that a compaction keeps is not in the file',
  help:
    'A compaction names the first entry that it keeps (its own id if it keeps none). If that entry is missing, Pi ' +
    'keeps nothing: the model sees the summary, but none of the messages that should have been kept. Look for a ' +
    'damaged line. To repair the compaction by hand, set `firstKeptEntryId` to the first entry to keep.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'gone' })],
    silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'a1' })],
  },
});
