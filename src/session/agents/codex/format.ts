import path from 'node:path';
import { isObject, type JsonObject } from '#base/json.js';
import type { AgentFormat } from '../define.js';
import { read } from './read.js';
import { isHeader } from './rows.js';

/** Codex: one record a line, a list whose newest turns can be rolled back. */
export const codex: AgentFormat = {
  name: 'codex',
  title: 'Codex',
  detect: (first) => first.some((line) => isHeader(line) || isRecord(line)),
  folders(env, home) {
    const root = env['CODEX_HOME'] || path.join(home, '.codex');
    return [path.join(root, 'sessions'), path.join(root, 'archived_sessions')];
  },
  isSession: (file) => /^rollout-.*\.jsonl$/.test(path.basename(file)),
  read,
};

const TYPES: ReadonlySet<unknown> = new Set(['response_item', 'event_msg', 'turn_context', 'compacted']);

function isRecord({ type, payload }: JsonObject): boolean {
  return TYPES.has(type) && isObject(payload);
}
