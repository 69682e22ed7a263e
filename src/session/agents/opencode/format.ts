import { isObject } from '#base/json.js';
import type { AgentFormat } from '../define.js';
import { read } from './read.js';

/** opencode: the document that `opencode export` writes. Its own store is a database. */
export const opencode: AgentFormat = {
  name: 'opencode',
  title: 'opencode',
  detect: ([document]) =>
    isObject(document?.['info']) && typeof document['info']['id'] === 'string' && Array.isArray(document['messages']),
  document: /^\s*\{\s*"(?:info|messages)"/,
  folders: () => [],
  elsewhere: 'opencode keeps its sessions in a database; save one: opencode export ID > session.json',
  isSession: (file) => file.endsWith('.json'),
  read,
};
