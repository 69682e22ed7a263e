import type { LlmMessage } from '#context/replay/content.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { atEntry, type ToolCall, callAt, isHidden, listOf, namedCall } from './message.js';

const ASKED = [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [toolCall('c1')])];

export default defineRule({
  name: 'open-call',
  group: 'provider',
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
