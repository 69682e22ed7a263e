import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'dangling-compaction',
  group: 'tree',
  severity: 'warning',
  summary: 'A compaction keeps from an entry that is not in the file',
  help:
    'A compaction names the first entry that it keeps (its own id if it keeps none). If that entry is not there, Pi keeps ' +
    'nothing: the model sees the summary, and none of the messages that were to stay. Look for a damaged line; to mend it ' +
    'by hand, let `firstKeptEntryId` name the first entry that is to be kept.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'gone' })],
    silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary: 'A README.', firstKeptEntryId: 'a1' })],
  },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'dangling-compaction'),
});
