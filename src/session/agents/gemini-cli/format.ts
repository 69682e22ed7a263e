import path from 'node:path';
import { asString, type JsonObject } from '#base/json.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentLines, AgentSession } from '../define.js';
import { buildPartsWithoutPrompt } from '../versions.js';
import { GeminiConversation } from './conversation.js';
import { isGeminiHeader } from './parts.js';
import { geminiRetention } from './retention.js';

/** Reads a list of records, in which a later record may replace or drop earlier ones. */
function read(lines: AgentLines, file: string): AgentSession {
  let unusedLines = 0;
  let header: JsonObject = {};
  let conversation: GeminiConversation | null = null;
  const begin = (): GeminiConversation =>
    new GeminiConversation(asString(header['sessionId']) ?? readFileId(file), (span) => lines.valueAt(span));
  for (const line of lines) {
    if (isGeminiHeader(line.value)) header = pickHeader(line.value);
    conversation ??= begin();
    if (!conversation.addLine(line)) unusedLines += 1;
  }
  const { list, replaced, isApproximate } = conversation ?? begin();
  const { sessionId, startTime, kind, directories } = header;
  const isSubagent = kind === 'subagent';
  const [cwd = null] = Array.isArray(directories) ? (directories as unknown[]) : [];
  return {
    header: buildPiHeader({
      id: asString(sessionId) ?? readFileId(file),
      timestamp: asString(startTime),
      cwd,
      parentSession: isSubagent ? path.basename(path.dirname(file)) : null,
    }),
    isSubagent,
    cwdHash: asString(header['projectHash']) ?? '',
    version: null,
    entries: list.entries,
    leafId: list.leafId,
    unusedLines: unusedLines + replaced.length,
    problems: [],
    parts: { ...buildPartsWithoutPrompt(list.hasUsage), ...(isApproximate ? COMPRESSED : {}) },
  };
}

/** The fields of a header without its messages, which a file that is one document has in it. */
function pickHeader({ sessionId, startTime, kind, directories, projectHash }: JsonObject): JsonObject {
  return { sessionId, startTime, kind, directories, projectHash };
}

/** The parts of a file whose compressions are known only from what was told to the user. */
const COMPRESSED = { messages: 'approximate', compactions: 'approximate' } as const;

function readFileId(file: string): string {
  return path.basename(file).replace(/\.jsonl?$/, '');
}

/** Gemini CLI: one record a line, and before that one document. A later record may replace earlier ones. */
export const geminiCli: AgentFormat = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  detect: (first) => first.some(isGeminiHeader),
  document: /"projectHash"|^\s*\{\s*"(?:kind|lastUpdated|messages|sessionId|startTime)"/,
  folders: (_env, home) => [path.join(home, '.gemini', 'tmp')],
  // In the folder of the project, which has the folder with the sessions.
  cwdFile: (session) => path.join(session.replace(/[\\/]chats[\\/].*$/, ''), '.project_root'),
  retention: geminiRetention,
  sideFolders(session, list) {
    const [, id] = /-([\da-f]{8})\.jsonl?$/.exec(session) ?? [];
    const outputs = path.join(session.replace(/[\\/]chats[\\/].*$/, ''), 'tool-outputs');
    return id === undefined
      ? []
      : list(outputs)
          .filter((name) => name.startsWith(`session-${id}`))
          .map((name) => path.join(outputs, name));
  },
  isSession: (file) => /(?:^|[\\/])chats[\\/](?:[^\\/]+[\\/])?[^\\/]+\.jsonl?$/.test(file),
  read,
};
