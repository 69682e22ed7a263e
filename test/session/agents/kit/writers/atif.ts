import type { JsonObject } from '#base/json.js';
import type { Conversation, SaidByModel, TestedAgent } from '../define.js';

/** A result is in the step of its call. */
function listSteps({ messages }: Conversation): readonly JsonObject[] {
  return messages.flatMap((message, at) => {
    if (message.role === 'toolResult') return [];
    const step = { timestamp: message.time, source: 'user', message: message.text };
    if (message.role === 'user') return [step];
    const result = messages[at + 1];
    return [{ ...step, ...buildAnswer(message, result?.role === 'toolResult' ? result.text : '') }];
  });
}

function buildAnswer({ thinking, call, tokens }: SaidByModel, result: string): JsonObject {
  const { input, cacheRead, output } = tokens;
  return {
    source: 'agent',
    reasoning_content: thinking,
    metrics: { prompt_tokens: input + cacheRead, completion_tokens: output, cached_tokens: cacheRead },
    ...(call && {
      tool_calls: [{ tool_call_id: call.id, function_name: call.name, arguments: call.input }],
      observation: { results: [{ source_call_id: call.id, content: result }] },
    }),
  };
}

function write(conversation: Conversation): string {
  return JSON.stringify({
    schema_version: 'ATIF-v1.7',
    session_id: conversation.id,
    agent: { name: 'acme', version: '2.1', model_name: 'openai/gpt-5.5' },
    steps: listSteps(conversation).map((step, at) => ({ step_id: at + 1, ...step })),
  });
}

export const atif: TestedAgent = {
  name: 'atif',
  fixtures: ['atif/trajectory.json'],
  place: () => null,
  write,
  list: 'steps',
  unknownRecord: { step_id: 999, source: 'thing-of-tomorrow', message: 'Unknown' },
  tomorrow: ['ATIF-v1.7', 'ATIF-v1.99'],
  lacks: ['failures', 'folder'],
};
