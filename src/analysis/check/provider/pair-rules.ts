import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { isAnswer } from '#session/heads/answer.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit, quoteValue, type Rule, type RuleDefinition } from '../define.js';
import { assistant, entry, HEADER, textContent, toolCall, toolResult, user } from '../example.js';
import {
  AnswerModels,
  describeToolCall,
  locateBlock,
  locateEntry,
  readCallAt,
  toContentList,
  type ToolCall,
  usesAnthropicApi,
} from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

interface PairRule extends Pick<Rule, 'name' | 'severity' | 'isOnlyForPi' | 'summary' | 'help' | 'example'> {
  /** The hit for a fault; null for a fault of another rule. */
  hitOf(fault: PairFault, session: Session): Hit | null;
}

function pairRule({ hitOf, ...about }: PairRule): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'request',
    watch: (_options, session) => watchPairs(session, (fault) => hitOf(fault, session)),
  });
}

const QUESTION = user('u1', null, 'What is in here?');
const ASKED = [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('c1')])];
const ANSWERED = [...ASKED, toolResult('r1', 'a1', 'c1')];

export const callWithoutResult = pairRule({
  name: 'call-without-result',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'A tool call has no result before the next message',
  help:
    'Every provider requires the results directly after the answer that called for them. If one is missing, Pi ' +
    'sends an error result with the text `No result provided`. The request is accepted, but the model believes that ' +
    'the tool failed. The run was interrupted, or the result was lost or omitted. Before 1.6, Pi wrote no results for ' +
    'calls that had not started when the user interrupted the run. A call at the end of the session is reported by ' +
    '`open-call`.\n\n' +
    '`ctx repair` writes an error result that explains this. To remove the call from the context as well, omit ' +
    'its answer with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [...ASKED, user('u2', 'a1', 'Go on.')],
    silent: [...ANSWERED, assistant('a2', 'r1', [textContent('A README.')])],
  },
  hitOf(fault, session) {
    if (fault.kind !== 'unanswered') return null;
    return {
      message: `no result follows ${describeToolCall(fault.call)}: Pi sends "No result provided" instead`,
      ...locateBlock(session, fault.from, fault.call.at),
      fix: '`ctx repair` adds an error result',
    };
  },
});

export const openCall = defineRule({
  name: 'open-call',
  severity: 'note',
  summary: 'The session ends before the result of a tool call',
  help:
    'The session stopped while a tool was running, or the tool is still running. When the session continues, Pi ' +
    'sends an error result with the text `No result provided` for each such call.\n\n' +
    'No action is needed. `ctx repair` writes an error result that explains what happened.',
  example: { fires: ASKED, silent: ANSWERED },
  looksAt: 'envelope',
  find({ messages: { cached }, meta: { provenance } }) {
    const at = cached.findLastIndex(({ role }) => role !== 'toolResult');
    const from = provenance[at];
    return openCalls(cached, at).map((call): Hit => ({
      message: `the session ends before ${describeToolCall(call)} has its result`,
      ...(from && { at: locateEntry(from) }),
      fix: '`ctx repair` adds an error result',
    }));
  },
});

function openCalls(messages: readonly LlmMessage[], at: number): readonly ToolCall[] {
  const answer = messages[at];
  if (answer?.role !== 'assistant' || isFailedAnswer(answer)) return [];
  const answered = new Set(messages.slice(at + 1).map((message) => message['toolCallId']));
  const content = toContentList(answer['content']);
  const calls = content.flatMap((_block, index) => readCallAt(content, index) ?? []);
  return calls.filter(({ id }) => !answered.has(id));
}

export const resultWithoutCall = pairRule({
  name: 'result-without-call',
  severity: 'error',
  summary: 'The request contains a tool result without its call',
  help:
    'Pi sends a tool result even if its call is missing, and every provider rejects the whole request: the session ' +
    'cannot continue. The call was never written, or it is in a failed or aborted answer, which Pi omits. If an ' +
    'entry removed the call, `compaction-in-tool-pair` reports it.\n\n' +
    '`ctx repair` omits the result with a `context_edit`.',
  example: {
    fires: [HEADER, QUESTION, toolResult('r1', 'u1', 'c1'), assistant('a1', 'r1', [textContent('A README.')])],
    silent: ANSWERED,
  },
  hitOf(fault) {
    if (fault.kind !== 'uncalled' && fault.kind !== 'failed') return null;
    const { kind, from, callId, related } = fault;
    const message =
      callId === null
        ? 'the result has no call id'
        : kind === 'failed'
          ? `the call ${quoteValue(callId)} is in a failed answer, which Pi does not send`
          : `its call ${quoteValue(callId)} is not in the request`;
    return { message, at: locateEntry(from), related, fix: OMIT };
  },
});

export const resultOutOfOrder = pairRule({
  name: 'result-out-of-order',
  severity: 'error',
  isOnlyForPi: true,
  summary: 'A tool result does not directly follow its answer',
  help:
    'The results of an answer must follow it before any other message. If another message comes first, Pi adds an ' +
    'error result before that message, and later sends the real result as well. Providers reject that request, as ' +
    'they reject a result before its call. A program wrote to the session while a tool was running, or lines were ' +
    'reordered.\n\n' +
    '`ctx repair` repeats a late result after its answer, and omits the one that is in the wrong place with a ' +
    '`context_edit`.',
  example: {
    fires: [...ASKED, user('u2', 'a1', 'And the tests?'), toolResult('r1', 'u2', 'c1')],
    silent: [...ANSWERED, user('u2', 'r1', 'And the tests?')],
  },
  hitOf(fault) {
    if (fault.kind !== 'early' && fault.kind !== 'late') return null;
    const { kind, from, callId, related } = fault;
    const message =
      kind === 'early'
        ? `the result precedes its call ${quoteValue(callId)}`
        : `another message is between the call ${quoteValue(callId)} and this result`;
    return { message, at: locateEntry(from), related, fix: OMIT };
  },
});

export const duplicateResult = pairRule({
  name: 'duplicate-result',
  severity: 'error',
  summary: 'A tool call has more than one result',
  help:
    'A call may have one result. Pi sends all of them, and providers reject the request. A tool ran again when the ' +
    'session was resumed, or a line was written twice.\n\n' +
    '`ctx repair` omits all results but the first with a `context_edit`.',
  example: { fires: [...ANSWERED, toolResult('r2', 'r1', 'c1')], silent: ANSWERED },
  hitOf(fault) {
    if (fault.kind !== 'again') return null;
    return {
      message: `the call ${quoteValue(fault.callId)} already has a result`,
      at: locateEntry(fault.from),
      related: fault.related,
      fix: OMIT,
    };
  },
});

export const compactionInToolPair = pairRule({
  name: 'compaction-in-tool-pair',
  severity: 'error',
  summary: 'An entry removes a tool call from the context, but not its result',
  help:
    'A compaction that keeps entries from a tool result on, or that is written while a tool runs, summarises the ' +
    'call and leaves the result. So does an edit or a transform that removes only the call. Pi still sends the ' +
    'result, and every provider rejects the whole request: the session cannot continue.\n\n' +
    'Compact again and keep entries from the call on, or omit the result as well, with a `context_edit` whose ' +
    '`replacement` is null.',
  example: { fires: [...ANSWERED, compactionFrom('r1')], silent: [...ANSWERED, compactionFrom('a1')] },
  hitOf(fault) {
    if (fault.kind !== 'parted') return null;
    const { entry: by, call } = fault.by;
    const fix =
      by.type === 'compaction'
        ? `compact again and keep entries from ${quoteValue(call.id)} on, or omit the result with a \`context_edit\``
        : 'omit the result as well, with a `context_edit`';
    return {
      message: `it removes the call ${quoteValue(fault.callId)} from the context, but not its result`,
      at: by,
      related: fault.related,
      fix,
    };
  },
});

/** The repair of a result that providers reject. */
const OMIT = '`ctx repair` omits the result with a `context_edit`';

function compactionFrom(firstKeptEntryId: string): ReturnType<typeof entry> {
  return entry('compaction', 'k1', 'r1', { summary: 'A question.', tokensBefore: 10, firstKeptEntryId });
}

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
  watch(_options, session) {
    const models = new AnswerModels();
    let newest = models.of({});
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
        if (isAnswer(sent.message)) newest = models.of(sent.message);
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
