import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, SaidByModel, SaidByTool, SaidByUser, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

/** What a user asked, with all answers up to the next question. */
interface Turn {
  readonly asked: SaidByUser;
  readonly rest: readonly (SaidByModel | SaidByTool)[];
}

function listTurns(messages: readonly Message[]): readonly Turn[] {
  const starts = messages.flatMap((message, at) => (message.role === 'user' ? [at] : []));
  return starts.map((start, at) => ({
    asked: messages[start] as SaidByUser,
    rest: messages.slice(start + 1, starts[at + 1]) as (SaidByModel | SaidByTool)[],
  }));
}

function buildMetadata({ asked, rest }: Turn): JsonObject {
  return {
    renderedUserMessage: [{ type: 1, text: asked.text }],
    toolCallRounds: rest
      .filter((message) => message.role === 'assistant')
      .map(({ text, thinking, call, time }, at) => ({
        id: `round_${time}_${at}`,
        response: text,
        thinking: { id: 't', text: thinking },
        toolCalls: call ? [{ id: call.id, name: call.name, arguments: JSON.stringify(call.input) }] : [],
        timestamp: Date.parse(time),
      })),
    toolCallResults: Object.fromEntries(
      rest
        .filter((message) => message.role === 'toolResult')
        .map(({ call, text }) => [call.id, { content: [{ $mid: 21, value: text }] }]),
    ),
  };
}

/** A log: each turn is added, and then its result is set. */
function write({ id, messages }: Conversation): string {
  const chat = { version: 3, creationDate: Date.parse(messages[0]?.time ?? ''), sessionId: id, requests: [] };
  const turns = listTurns(messages).flatMap((turn, at): JsonObject[] => {
    const { asked } = turn;
    const request = {
      requestId: `request_${at}`,
      timestamp: Date.parse(asked.time),
      modelId: 'copilot/m1',
      message: { text: asked.text, parts: [] },
      response: [],
    };
    return [
      { kind: 2, k: ['requests'], v: [request] },
      { kind: 1, k: ['requests', at, 'result'], v: { metadata: buildMetadata(turn) } },
    ];
  });
  return toLines([{ kind: 0, v: chat }, ...turns]);
}

export const vscodeChat: TestedAgent = {
  name: 'vscode-chat',
  fixtures: ['vscode-chat/chat.jsonl', 'vscode-chat/chat.json'],
  place: (id) => `.config/Code/User/workspaceStorage/w1/chatSessions/${id}.jsonl`,
  write,
  list: null,
  unknownRecord: { kind: 9, k: ['thing-of-tomorrow'], v: true },
  tomorrow: ['"version":3', '"version":99'],
  lacks: ['tokens', 'cached tokens', 'failures', 'folder'],
};
