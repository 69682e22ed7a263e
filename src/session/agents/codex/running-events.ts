import { asString, type JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { RunningEvent } from '../running-events.js';
import { buildCountKey } from './counts.js';
import { callIdOf, toolNameOf } from './items.js';
import { findCounters, toCodexUsage } from './messages.js';
import { countOf } from './record-content.js';
import { payloadOf } from './record-payload.js';
import { findParentThread, parseIdTime } from './threads.js';

/** The events of one record of Codex. */
export function listCodexEvents(record: JsonObject): readonly RunningEvent[] {
  const payload = payloadOf(record);
  switch (record['type']) {
    case 'session_meta': {
      const provider = asString(payload['model_provider']);
      return [{ kind: 'turn', begun: readBegin(payload), ...(provider !== null && { provider }) }];
    }
    case 'turn_context': {
      const model = asString(payload['model']);
      return [{ kind: 'turn', start: readStart(payload), ...(model !== null && { model }) }];
    }
    case 'response_item': {
      const name = toolNameOf(payload);
      const input = payload['arguments'] ?? payload['input'] ?? payload['action'];
      return name === null ? [] : [{ kind: 'call', id: callIdOf(payload), name, input }];
    }
    case 'compacted':
      return [{ kind: 'compaction', isAutomatic: false, tokensBefore: null }];
    case 'event_msg':
      return listMessageEvents(record, payload);
    case 'token_usage_record':
      return listCountEvents(record, payload);
    default:
      return [];
  }
}

function listMessageEvents(record: JsonObject, payload: JsonObject): readonly RunningEvent[] {
  switch (payload['type']) {
    case 'user_message':
      return [{ kind: 'prompt' }];
    case 'task_started':
      return [{ kind: 'turn', start: readStart(payload) }];
    default:
      return listCountEvents(record, payload);
  }
}

/** When a thread began that may begin with copies of another one; NaN for one that has no origin. */
function readBegin(meta: JsonObject): number {
  const { id, session_id: session, timestamp } = meta;
  const origin = findParentThread(meta) ?? asString(session);
  if (origin === null || origin === id) return Number.NaN;
  const begun = parseIdTime(asString(id) ?? '');
  return Number.isNaN(begun) ? parseTimestamp(timestamp) : begun;
}

function readStart(payload: JsonObject): number {
  return parseIdTime(asString(payload['turn_id']) ?? '');
}

function listCountEvents(record: JsonObject, payload: JsonObject): readonly RunningEvent[] {
  const count = countOf(record);
  if (count?.kind !== 'count') return [];
  const usage = toCodexUsage(findCounters(payload) ?? {});
  return [
    {
      kind: 'answer',
      id: buildCountKey(count).key,
      message: { role: 'assistant', usage },
      time: parseTimestamp(record['timestamp']),
      isCopied: false,
      isSide: false,
      isExact: count.isExact,
      window: count.window,
    },
  ];
}
