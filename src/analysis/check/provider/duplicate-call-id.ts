import type { Session } from '#session/session.js';
import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { atEntry, isAnthropic, Models, placeOfBlock } from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const QUESTION = user('u1', null, 'What is in here?');

export default defineRule({
  name: 'duplicate-call-id',
  group: 'provider',
  severity: 'error',
  summary: 'Two tool calls of a request have the same id',
  help:
    'Results find their call by its id. Two calls of one answer that share an id are refused everywhere; two calls ' +
    'of different answers are refused by Anthropic, and only then reported, since some providers count anew in every ' +
    'answer and take their own ids back.\n\n' +
    'Leave out one of the answers and its results, each with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('c1'), toolCall('c1')]), toolResult('r1', 'a1', 'c1')],
    silent: [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [toolCall('c1'), toolCall('c2')]),
      toolResult('r1', 'a1', 'c1'),
      toolResult('r2', 'r1', 'c2'),
    ],
  },
  looksAt: 'request',
  watch: (_options, session) => watchIds(session),
});

function watchIds(session: Session): ReturnType<typeof watchPairs> {
  const models = new Models();
  let newest = models.of({});
  /** What only Anthropic minds, until a request ends that goes there. */
  let later: Hit[] = [];
  const pairs = watchPairs(session, (fault) => {
    if (fault.kind !== 'same-id') return null;
    const hit = hitOf(session, fault);
    if (fault.isSameAnswer) return hit;
    if (later.length < MOST_WAITING) later.push(hit);
    return null;
  });
  return {
    see(sent) {
      if (sent.message.role === 'assistant') newest = models.of(sent.message);
      return pairs.see(sent);
    },
    *end() {
      yield* pairs.end();
      if (later.length === 0 || !isAnthropic(newest)) return;
      yield* later;
      later = [];
    },
  };
}

/** A provider that counts anew in every answer may have used each of its ids a thousand times. */
const MOST_WAITING = 1000;

function hitOf(session: Session, { from, call, related }: Extract<PairFault, { readonly kind: 'same-id' }>): Hit {
  return {
    message: `an earlier call has the id ${quoted(call.id)} as well`,
    at: atEntry(from),
    ...placeOfBlock(session, from, call.at),
    related,
    fix: 'leave out the answer and its results with `context_edit` entries',
  };
}
