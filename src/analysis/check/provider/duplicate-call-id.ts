import { isAnswer } from '#session/heads/answer.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { assistant, HEADER, QUESTION, toolCall, toolResult } from '../example.js';
import { AnswerModels, usesAnthropicApi } from './answer-model.js';
import { locateBlock } from './message.js';
import { watchPairs } from './watch-pairs.js';

export default defineRule({
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
  watch(_options, session) {
    const models = new AnswerModels();
    let newest = models.readModel({});
    /** The hits for Anthropic only, until a request to Anthropic ends. */
    let later: Hit[] = [];
    const pairs = watchPairs(session, (fault) => {
      if (fault.kind !== 'same-id') return null;
      const hit: Hit = {
        message: `an earlier call has the same id ${quoteValue(fault.call.id)}`,
        ...locateBlock(session, fault.from, fault.call.at),
        related: fault.related,
        fix: 'omit the answer and its results with `context_edit` entries',
      };
      if (fault.isSameAnswer) return hit;
      if (later.length < MOST_WAITING) later.push(hit);
      return null;
    });
    return {
      see(sent) {
        if (isAnswer(sent.message)) newest = models.readModel(sent.message);
        return pairs.see(sent);
      },
      *end() {
        yield* pairs.end();
        if (later.length === 0 || !usesAnthropicApi(newest)) return;
        yield* later;
        later = [];
      },
    };
  },
});

/** A provider that restarts its ids in every answer may repeat each of them many times. */
const MOST_WAITING = 1000;
