import type { LlmMessage } from '#context/replay/content.js';
import { defineRule, type Hit, quoted } from '../define.js';
import { assistant, entry, HEADER, text, toolCall, toolResult, user } from '../example.js';
import { atEntry, callAt, isHidden, listOf, namedCall, atBlock, type ToolCall } from './message.js';
import { type PairFault, watchPairs } from './tool-pairs.js';

const ASKED = [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [toolCall('c1')])];

export const callWithoutResult = defineRule({
  name: 'call-without-result',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'A tool call has no result before the next message',
  help:
    'Every provider requires the results directly after the answer that called for them. If one is missing, Pi ' +
    'sends an error result with the text `No result provided`. The request is accepted, but the model believes that ' +
    'the tool failed. The run was interrupted, or the result was lost or omitted. A call at the end of the session ' +
    'is reported by `open-call`.\n\n' +
    '`ctx repair` writes an error result that explains this. To remove the call from the context as well, omit ' +
    'its answer with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [...ASKED, user('u2', 'a1', 'Go on.')],
    silent: [...ASKED, toolResult('r1', 'a1', 'c1'), assistant('a2', 'r1', [text('A README.')])],
  },
  looksAt: 'request',
  watch: (_options, session) =>
    watchPairs(session, (fault) =>
      fault.kind === 'unanswered'
        ? {
            message: `no result follows ${namedCall(fault.call)}: Pi sends "No result provided" instead`,
            ...atBlock(session, fault.from, fault.call.at),
            fix: '`ctx repair` adds an error result',
          }
        : null,
    ),
});

export const openCall = defineRule({
  name: 'open-call',
  severity: 'note',
  summary: 'The session ends before the result of a tool call',
  help:
    'The session stopped while a tool was running, or the tool is still running. When the session continues, Pi ' +
    'sends an error result with the text `No result provided` for each such call.\n\n' +
    'No action is needed. `ctx repair` writes an error result that explains what happened.',
  example: { fires: ASKED, silent: [...ASKED, toolResult('r1', 'a1', 'c1')] },
  looksAt: 'envelope',
  find({ messages: { cached }, meta: { provenance } }) {
    const at = cached.findLastIndex(({ role }) => role !== 'toolResult');
    const from = provenance[at];
    return openCalls(cached, at).map((call): Hit => ({
      message: `the session ends before ${namedCall(call)} has its result`,
      ...(from && { at: atEntry(from) }),
      fix: '`ctx repair` adds an error result',
    }));
  },
});

function openCalls(messages: readonly LlmMessage[], at: number): readonly ToolCall[] {
  const answer = messages[at];
  if (answer?.role !== 'assistant' || isHidden(answer)) return [];
  const answered = new Set(messages.slice(at + 1).map((message) => message['toolCallId']));
  const content = listOf(answer['content']);
  const calls = content.flatMap((_block, index) => callAt(content, index) ?? []);
  return calls.filter(({ id }) => !answered.has(id));
}

const QUESTION = user('u1', null, 'What is in here?');

export const resultWithoutCall = defineRule({
  name: 'result-without-call',
  severity: 'error',
  summary: 'The request contains a tool result without its call',
  help:
    'Pi sends a tool result even if its call is missing, and every provider rejects the whole request: the session ' +
    'cannot continue. The call was never written, or it is in a failed or aborted answer, which Pi omits. If an ' +
    'entry removed the call, `compaction-in-tool-pair` reports it.\n\n' +
    'Omit the result with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, QUESTION, toolResult('r1', 'u1', 'c1'), assistant('a1', 'r1', [text('A README.')])],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('c1')]), toolResult('r1', 'a1', 'c1')],
  },
  looksAt: 'request',
  watch: (_options, session) => watchPairs(session, withoutCall),
});

function withoutCall(fault: PairFault): Hit | null {
  if (fault.kind !== 'uncalled' && fault.kind !== 'failed') return null;
  const { kind, from, callId, related } = fault;
  const message =
    callId === null
      ? 'the result has no call id'
      : kind === 'failed'
        ? `the call ${quoted(callId)} is in a failed answer, which Pi does not send`
        : `its call ${quoted(callId)} is not in the request`;
  return { message, at: atEntry(from), related, fix: 'omit the result with a `context_edit`' };
}

export const resultOutOfOrder = defineRule({
  name: 'result-out-of-order',
  severity: 'error',
  isOnlyForPi: true,
  summary: 'A tool result does not directly follow its answer',
  help:
    'The results of an answer must follow it before any other message. If another message comes first, Pi adds an ' +
    'error result before that message, and later sends the real result as well. Providers reject that request, as ' +
    'they reject a result before its call. A program wrote to the session while a tool was running, or lines were ' +
    'reordered.\n\n' +
    'Omit the result with a `context_edit` whose `replacement` is null, or move it after its answer with a ' +
    '`context_transform`.',
  example: {
    fires: [...ASKED, user('u2', 'a1', 'And the tests?'), toolResult('r1', 'u2', 'c1')],
    silent: [...ASKED, toolResult('r1', 'a1', 'c1'), user('u2', 'r1', 'And the tests?')],
  },
  looksAt: 'request',
  watch: (_options, session) => watchPairs(session, outOfOrder),
});

function outOfOrder(fault: PairFault): Hit | null {
  if (fault.kind !== 'early' && fault.kind !== 'late') return null;
  const { kind, from, callId, related } = fault;
  const message =
    kind === 'early'
      ? `the result precedes its call ${quoted(callId)}`
      : `another message is between the call ${quoted(callId)} and this result`;
  return { message, at: atEntry(from), related, fix: 'omit the result with a `context_edit`' };
}

const ANSWERED = [
  HEADER,
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', [toolCall('c1')]),
  toolResult('r1', 'a1', 'c1'),
];

export const duplicateResult = defineRule({
  name: 'duplicate-result',
  severity: 'error',
  summary: 'A tool call has more than one result',
  help:
    'A call may have one result. Pi sends all of them, and providers reject the request. A tool ran again when the ' +
    'session was resumed, or a line was written twice.\n\n' +
    'Omit all results but one with a `context_edit` whose `replacement` is null.',
  example: { fires: [...ANSWERED, toolResult('r2', 'r1', 'c1')], silent: ANSWERED },
  looksAt: 'request',
  watch: (_options, session) =>
    watchPairs(session, (fault) =>
      fault.kind === 'again'
        ? {
            message: `the call ${quoted(fault.callId)} already has a result`,
            at: atEntry(fault.from),
            related: fault.related,
            fix: 'omit the result with a `context_edit`',
          }
        : null,
    ),
});

const COMPACTED = [
  HEADER,
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', [toolCall('c1')]),
  toolResult('r1', 'a1', 'c1'),
];

export const compactionInToolPair = defineRule({
  name: 'compaction-in-tool-pair',
  severity: 'error',
  summary: 'An entry removes a tool call from the context, but not its result',
  help:
    'A compaction that keeps entries from a tool result on, or that is written while a tool runs, summarises the ' +
    'call and leaves the result. So does an edit or a transform that removes only the call. Pi still sends the ' +
    'result, and every provider rejects the whole request: the session cannot continue.\n\n' +
    'Compact again and keep entries from the call on, or omit the result as well, with a `context_edit` whose ' +
    '`replacement` is null.',
  example: {
    fires: [...COMPACTED, compactionFrom('r1')],
    silent: [...COMPACTED, compactionFrom('a1')],
  },
  looksAt: 'request',
  watch: (_options, session) => watchPairs(session, cutBetween),
});

function compactionFrom(firstKeptEntryId: string): ReturnType<typeof entry> {
  return entry('compaction', 'k1', 'r1', { summary: 'A question.', tokensBefore: 10, firstKeptEntryId });
}

function cutBetween(fault: PairFault): Hit | null {
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
