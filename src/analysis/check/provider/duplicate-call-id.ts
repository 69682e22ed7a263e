import type { Session } from '#session/session.js';
import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { isAnthropic, Models, atBlock } from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const QUESTION = user('u1', null, 'What is in here?');

export const duplicateCallId = defineRule({
  name: 'duplicate-call-id',
  severity: 'error',
  summary: 'Two tool calls of a request have the same id',
  help:
    'A result refers to its call by id. All providers reject two calls of one answer with the same id. Anthropic ' +
    'also rejects the same id in different answers. That is reported only for Anthropic, since some providers ' +
    'restart their ids in every answer and accept the repetition.\n\n' +
    'Omit one of the answers and its results, each with a `context_edit` whose `replacement` is null.',
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
  /** The hits for Anthropic only, until a request to Anthropic ends. */
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

/** A provider that restarts its ids in every answer may repeat each of them many times. */
const MOST_WAITING = 1000;

function hitOf(session: Session, { from, call, related }: Extract<PairFault, { readonly kind: 'same-id' }>): Hit {
  return {
    message: `an earlier call has the same id ${quoted(call.id)}`,
    ...atBlock(session, from, call.at),
    related,
    fix: 'omit the answer and its results with `context_edit` entries',
  };
}
