import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

interface Event {
  readonly type: string;
  readonly data: JsonObject;
}

/** The tokens of a request are an event before its answer. */
function listEvents(message: Message, at: number): readonly Event[] {
  const { text } = message;
  if (message.role === 'user')
    return [{ type: 'user.message', data: { content: text, transformedContent: text, messageId: `m${at}` } }];
  if (message.role === 'toolResult') {
    const outcome = message.isError ? { error: { message: text } } : { result: { content: text } };
    return [
      {
        type: 'tool.execution_complete',
        data: { toolCallId: message.call.id, success: !message.isError, ...outcome },
      },
    ];
  }
  const { call, thinking, tokens } = message;
  const apiCallId = `chatcmpl-${at}`;
  const usage = {
    model: 'gpt-5.5',
    inputTokens: tokens.input + tokens.cacheRead,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: 0,
    interactionType: 'conversation-agent',
    apiCallId,
  };
  const toolRequests = call ? [{ toolCallId: call.id, name: call.name, arguments: call.input, type: 'function' }] : [];
  return [
    { type: 'assistant.turn_start', data: { turnId: `${at}` } },
    { type: 'session.usage_record', data: { usage } },
    {
      type: 'assistant.message',
      data: { messageId: `m${at}`, model: 'gpt-5.5', content: text, reasoningText: thinking, toolRequests, apiCallId },
    },
    { type: 'assistant.turn_end', data: { turnId: `${at}` } },
  ];
}

function write({ id, cwd, messages }: Conversation): string {
  const [{ time } = { time: '' }] = messages;
  const start = {
    type: 'session.start',
    data: { sessionId: id, copilotVersion: '1.0.102', startTime: time, context: { cwd } },
    timestamp: time,
  };
  const events = messages.flatMap((message, at) =>
    listEvents(message, at).map((event) => ({ ...event, timestamp: message.time })),
  );
  return toLines(
    [start, ...events].map((event, at) => ({ ...event, id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}` })),
  );
}

export const copilotCli: TestedAgent = {
  name: 'copilot-cli',
  fixtures: ['copilot-cli/events.jsonl'],
  place: (id) => `.copilot/session-state/${id}/events.jsonl`,
  write,
  list: null,
  unknownRecord: { type: 'thing.of_tomorrow', data: { words: 'Unknown' }, id: 'x', parentId: null },
  tomorrow: ['"copilotVersion":"1.0.102"', '"copilotVersion":"9.0.0"'],
};
