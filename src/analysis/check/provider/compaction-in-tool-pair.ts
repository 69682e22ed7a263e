import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, entry, HEADER, toolCall, toolResult, user } from '../example.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const ASKED = [
  HEADER,
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', [toolCall('c1')]),
  toolResult('r1', 'a1', 'c1'),
];

export default defineRule({
  name: 'compaction-in-tool-pair',
  group: 'provider',
  severity: 'error',
  summary: 'An entry removes a tool call from the context, but not its result',
  help:
    'A compaction that keeps entries from a tool result on, or that is written while a tool runs, summarises the ' +
    'call and leaves the result. So does an edit or a transform that removes only the call. Pi still sends the ' +
    'result, and every provider rejects the whole request: the session cannot continue.\n\n' +
    'Compact again and keep entries from the call on, or omit the result as well, with a `context_edit` whose ' +
    '`replacement` is null.',
  example: {
    fires: [...ASKED, compaction('r1')],
    silent: [...ASKED, compaction('a1')],
  },
  looksAt: 'request',
  watch: (_options, session) => watchPairs(session, hitOf),
});

function compaction(firstKeptEntryId: string): ReturnType<typeof entry> {
  return entry('compaction', 'k1', 'r1', { summary: 'A question.', tokensBefore: 10, firstKeptEntryId });
}

function hitOf(fault: PairFault): Hit | null {
  if (fault.kind !== 'parted') return null;
  const { entry: by, call } = fault.by;
  const fix =
    by.type === 'compaction'
      ? `compact again and keep entries from ${quoted(call.id)} on, or omit the result with a \`context_edit\``
      : 'omit the result as well, with a `context_edit`';
  return {
    message: `it removes the call ${quoted(fault.callId)} from the context, but not its result`,
    at: by,
    related: fault.related,
    fix,
  };
}
