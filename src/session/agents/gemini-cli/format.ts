import path from 'node:path';
import type { AgentFormat } from '../define.js';
import { isHeader, read } from './read.js';

/** Gemini CLI: one record a line, and before that one document. A later record may replace earlier ones. */
export const geminiCli: AgentFormat = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  detect: (first) => first.some(isHeader),
  document: /"projectHash"|^\s*\{\s*"(?:kind|lastUpdated|messages|sessionId|startTime)"/,
  folders: (_env, home) => [path.join(home, '.gemini', 'tmp')],
  isSession: (file) => /(?:^|[\\/])chats[\\/](?:[^\\/]+[\\/])?[^\\/]+\.jsonl?$/.test(file),
  read,
};
