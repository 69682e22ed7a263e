import type { Conversation, TestedAgent } from '../define.js';
import { toLines } from './lines.js';
import { toMessage } from './oh-my-pi.js';

function write({ id, cwd, messages }: Conversation): string {
  const timestamp = messages[0]?.time;
  const snapshot = { timestamp: Date.parse(timestamp ?? ''), provider: 'mock', modelApi: 'openai', modelId: 'm1' };
  return toLines([
    { type: 'session', version: 3, id, timestamp, cwd },
    { type: 'model_change', id: 'model', parentId: null, timestamp, provider: 'mock', modelId: 'm1' },
    { type: 'custom', customType: 'model-snapshot', data: snapshot, id: 'snapshot', parentId: 'model', timestamp },
    ...messages.map((message, at) => ({
      type: 'message',
      id: `m${at}`,
      parentId: at === 0 ? 'snapshot' : `m${at - 1}`,
      timestamp: message.time,
      message: toMessage(message),
    })),
  ]);
}

/** The tables of OpenClaw 2026.9.6, as far as they are read, with the records of one session. */
function writeDatabase(conversation: Conversation): readonly string[] {
  const { id, messages } = conversation;
  const updated = Date.parse(messages.at(-1)?.time ?? '');
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return [
    'CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, spawned_by TEXT, updated_at INTEGER)',
    'CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq))',
    `INSERT INTO session_windows VALUES (${quote(id)}, 'agent:main:main', NULL, ${updated})`,
    ...write(conversation)
      .trimEnd()
      .split('\n')
      .map(
        (line, seq) =>
          `INSERT INTO transcript_events VALUES (${quote(id)}, ${seq}, ${quote(line)}, 0, NULL, NULL, NULL)`,
      ),
  ];
}

export const openclaw: TestedAgent = {
  name: 'openclaw',
  fixtures: ['openclaw/session.jsonl'],
  place: (id) => `.openclaw/agents/main/sessions/${id}.jsonl`,
  write,
  list: null,
  unknownRecord: { type: 'thing-of-tomorrow', words: 'Unknown' },
  tomorrow: ['"version":3', '"version":99'],
  store: { place: '.openclaw/agents/main/agent/openclaw-agent.sqlite', write: writeDatabase },
};
