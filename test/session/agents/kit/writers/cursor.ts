import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '#base/json.js';
import { projectFolder } from '../../../../support/files.js';
import type { Conversation, Message, SaidByTool, TestedAgent } from '../define.js';
import { toLines } from './lines.js';

/** A line of a transcript, as some versions write it: with a time, thoughts and results. */
function buildLine(message: Message): JsonObject {
  const line = (role: string, content: readonly JsonObject[]): JsonObject => ({
    timestamp: message.time,
    role,
    model: 'm1',
    message: { content },
  });
  if (message.role === 'user') return line('user', [{ type: 'text', text: message.text }]);
  if (message.role === 'toolResult') {
    const content = [{ type: 'text', text: message.text }];
    return line('tool', [{ type: 'tool_result', tool_use_id: message.call.id, content, is_error: message.isError }]);
  }
  const { text, thinking, call } = message;
  return line('assistant', [
    { type: 'reasoning', text: thinking },
    { type: 'text', text },
    ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] : []),
  ]);
}

function write({ messages }: Conversation): string {
  return toLines(messages.map(buildLine));
}

const FIXTURE = path.join(projectFolder, 'fixtures/agents/cursor/state.sql');

/** A thought, a text and a call are a message of the editor each; the result is in that of the call. */
function listBubbles(messages: readonly Message[]): readonly JsonObject[] {
  return messages.flatMap((message, at): JsonObject[] => {
    const { text, time: createdAt } = message;
    if (message.role === 'user') return [{ type: 1, text, createdAt }];
    if (message.role === 'toolResult') return [];
    const { thinking, call } = message;
    const parts: JsonObject[] = [
      { type: 2, text: '', thinking: { text: thinking }, createdAt },
      { type: 2, text, createdAt },
    ];
    if (!call) return parts;
    const { text: result, isError } = messages[at + 1] as SaidByTool;
    const outcome = isError ? { error: result, status: 'error' } : { result, status: 'completed' };
    const tool = { toolCallId: call.id, name: call.name, rawArgs: JSON.stringify(call.input), ...outcome };
    return [...parts, { type: 2, text: '', toolFormerData: tool, createdAt }];
  });
}

function writeDatabase({ id, cwd, messages }: Conversation): readonly string[] {
  const tables = readFileSync(FIXTURE, 'utf8').match(/^CREATE TABLE .*$/gm) ?? [];
  const bubbles = listBubbles(messages).map((bubble, at) => ({ ...bubble, bubbleId: `b${at}` }));
  const created = Date.parse(messages[0]?.time ?? '');
  const composer = {
    _v: 16,
    composerId: id,
    createdAt: created,
    lastUpdatedAt: created,
    modelConfig: { modelName: 'm1' },
    workspaceIdentifier: { uri: { fsPath: cwd } },
    fullConversationHeadersOnly: bubbles.map(({ bubbleId }) => ({ bubbleId })),
  };
  const insert = (key: string, value: JsonObject): string =>
    `INSERT INTO cursorDiskKV VALUES ('${key}', '${JSON.stringify(value).replaceAll("'", "''")}')`;
  return [
    ...tables,
    insert(`composerData:${id}`, composer),
    ...bubbles.map((bubble) => insert(`bubbleId:${id}:${bubble.bubbleId}`, bubble)),
  ];
}

export const cursor: TestedAgent = {
  name: 'cursor',
  fixtures: ['cursor/transcript.jsonl'],
  place: (id) => `.cursor/projects/home-ada-app/agent-transcripts/${id}/${id}.jsonl`,
  write,
  list: null,
  unknownRecord: { type: 'thing-of-tomorrow', status: 'new' },
  tomorrow: null,
  lacks: ['tokens', 'cached tokens', 'folder'],
  store: { place: '.config/Cursor/User/globalStorage/state.vscdb', write: writeDatabase },
};
