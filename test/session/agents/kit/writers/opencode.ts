import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '#base/json.js';
import { projectFolder } from '../../../../support/files.js';
import type { Conversation, Message, SaidByTool, TestedAgent } from '../define.js';

interface Stored {
  readonly info: JsonObject & { readonly time: { readonly created: number } };
  readonly parts: readonly JsonObject[];
}

/** A result is in the part of its call. The tokens of a step are in its last part, and in the message. */
function listMessages({ id, messages }: Conversation): readonly Stored[] {
  return messages.flatMap((message, at): Stored[] => {
    if (message.role === 'toolResult') return [];
    const info = {
      id: toId('msg', at),
      sessionID: toSessionId(id),
      role: message.role,
      time: { created: toTime(message) },
    };
    if (message.role === 'user') return [{ info, parts: withIds([{ type: 'text', text: message.text }], at) }];
    const { input, cacheRead, output } = message.tokens;
    const tokens = { input, output, reasoning: 0, cache: { read: cacheRead, write: 0 } };
    const result = messages[at + 1];
    const parts = [
      { type: 'step-start' },
      { type: 'reasoning', text: message.thinking },
      { type: 'text', text: message.text },
      ...(message.call ? [buildCall(result as SaidByTool)] : []),
      { type: 'step-finish', reason: 'stop', tokens, cost: 0 },
    ];
    const model = { modelID: 'm1', providerID: 'mock', agent: 'build', tokens, cost: 0 };
    return [{ info: { ...info, ...model }, parts: withIds(parts, at) }];
  });
}

function buildCall({ call, text, isError }: SaidByTool): JsonObject {
  const outcome = isError ? { status: 'error', error: text } : { status: 'completed', output: text };
  return { type: 'tool', callID: call.id, tool: call.name, state: { input: call.input, ...outcome } };
}

function withIds(parts: readonly JsonObject[], message: number): readonly JsonObject[] {
  return parts.map((part, at) => ({ ...part, id: toId('prt', message * 100 + at) }));
}

function toId(kind: string, at: number): string {
  return `${kind}_${String(at).padStart(9, '0')}`;
}

function toSessionId(id: string): string {
  return `ses_${id.replaceAll('-', '')}`;
}

function toTime({ time }: Message): number {
  return Date.parse(time);
}

function buildInfo({ id, cwd, messages }: Conversation) {
  const created = messages[0] ? toTime(messages[0]) : 0;
  const time = { created, updated: created };
  return { id: toSessionId(id), version: '1.18.34', projectID: 'p', directory: cwd, title: 'A title', time };
}

function write(conversation: Conversation): string {
  return JSON.stringify({ info: buildInfo(conversation), messages: listMessages(conversation) });
}

const FIXTURE = path.join(projectFolder, 'fixtures/agents/opencode/database.sql');

function quote(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}

function insert(table: string, columns: JsonObject): string {
  return `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) VALUES (${Object.values(columns).map(quote).join(', ')})`;
}

/** The tables of opencode 1.18.34, with one session. */
function writeDatabase(conversation: Conversation): readonly string[] {
  const tables = readFileSync(FIXTURE, 'utf8').match(/^CREATE TABLE .*$/gm) ?? [];
  const { id, version, directory, title, projectID, time } = buildInfo(conversation);
  const times = { time_created: time.created, time_updated: time.updated };
  const session = { id, project_id: projectID, slug: 'a-slug', directory, title, version, ...times };
  const rows = listMessages(conversation).flatMap(({ info, parts }) => {
    const { id: message, sessionID: session_id, ...data } = info;
    const at = { time_created: info.time.created, time_updated: 0 };
    return [
      insert('message', { id: message, session_id, ...at, data: JSON.stringify(data) }),
      ...parts.map(({ id: part, ...own }) =>
        insert('part', { id: part, message_id: message, session_id, ...at, data: JSON.stringify(own) }),
      ),
    ];
  });
  return [...tables, insert('session', session), ...rows];
}

export const opencode: TestedAgent = {
  name: 'opencode',
  fixtures: ['opencode/export.json', 'opencode/database-export.json'],
  place: () => null,
  write,
  list: 'messages',
  unknownRecord: { info: { id: 'msg_9', role: 'thing-of-tomorrow', time: { created: 1 } }, parts: [{ type: 'new' }] },
  tomorrow: ['"version":"1.18.34"', '"version":"9.0.0"'],
  store: { place: '.local/share/opencode/opencode.db', write: writeDatabase },
};
