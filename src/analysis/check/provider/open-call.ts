import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED_CALL, OPEN_CALL } from '../example.js';
import { contentListOf, locateEntry } from './message.js';
import { describeToolCall, readCallAt, type ToolCall } from './tool-call.js';

export default defineRule({
  name: 'open-call',
  severity: 'note',
  summary: 'The session ends before the result of a tool call',
  help:
    'The session stopped while a tool was running, or the tool is still running. When the session continues, Pi ' +
    'sends an error result with the text `No result provided` for each such call.\n\n' +
    'No action is needed. `ctx repair` writes an error result that explains what happened.',
  example: { fires: OPEN_CALL, silent: ANSWERED_CALL },
  looksAt: 'envelope',
  find({ messages: { cached }, meta: { provenance } }) {
    const at = cached.findLastIndex(({ role }) => role !== 'toolResult');
    const from = provenance[at];
    return openCalls(cached, at).map((call): Hit => ({
      message: `the session ends before ${describeToolCall(call)} has its result`,
      at: from && locateEntry(from),
      fix: '`ctx repair` adds an error result',
    }));
  },
});

function openCalls(messages: readonly LlmMessage[], at: number): readonly ToolCall[] {
  const answer = messages[at];
  if (answer?.role !== 'assistant' || isFailedAnswer(answer)) return [];
  const answered = new Set(messages.slice(at + 1).map(({ toolCallId }) => toolCallId));
  const content = contentListOf(answer);
  const calls = content.flatMap((_block, index) => readCallAt(content, index) ?? []);
  return calls.filter(({ id }) => !answered.has(id));
}
