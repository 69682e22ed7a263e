import path from 'node:path';
import { attempt } from '#base/errors.js';
import { asCount, asObject, asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentSession, RecordedParts } from '../define.js';
import { listEditorFolders } from '../editor-folders.js';
import type { AgentRecord } from '../native-records.js';
import { ChatReader, isChat } from './chat-reader.js';

function read(lines: Iterable<AgentRecord>, file: string): AgentSession {
  const reader = new ChatReader();
  let unusedLines = 0;
  for (const line of lines) {
    if (!reader.take(line)) unusedLines += 1;
  }
  const { sessionId, creationDate, workingDirectory, version } = reader.chat;
  const id = asString(sessionId) ?? path.basename(file).replace(/\.jsonl?$/, '');
  const list = reader.build(id);
  const words = reader.isAsSent && isKnown(version) ? 'recorded' : 'approximate';
  const parts: RecordedParts = {
    system: 'missing',
    tools: 'missing',
    messages: words,
    compactions: reader.hasSummary || !isKnown(version) ? 'approximate' : 'recorded',
    usage: 'missing',
  };
  return {
    header: buildPiHeader({
      id,
      timestamp: formatTime(asCount(creationDate)),
      cwd: readFolderUri(workingDirectory),
    }),
    version: null,
    entries: list.entries,
    leafId: list.leafId,
    unusedLines,
    problems: [],
    parts,
  };
}

/** Whether a version is known. Versions 2 and 3, and earlier files without a number, name their requests alike. */
function isKnown(version: unknown): boolean {
  return version === undefined || version === 1 || version === 2 || version === 3;
}

/** The path of a folder in a `file:` URL; null for any other value. */
function readFolderUri(uri: unknown): string | null {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return null;
  const folder = attempt(() => decodeURIComponent(new URL(uri).pathname), null);
  // On Windows, the path begins with the drive.
  return folder !== null && /^\/[A-Za-z]:/.test(folder) ? folder.slice(1) : folder;
}

/** Tests whether a first record of a log has the chat as it began. */
function isBeginning({ kind, v }: JsonObject): boolean {
  return kind === 0 && isObject(v) && typeof v['sessionId'] === 'string' && Array.isArray(v['requests']);
}

/**
 * The chats of Visual Studio Code, above all those of GitHub Copilot: a log of changes since 1.109, and before that one
 * document. Source: chatModel.ts, chatSessionOperationLog.ts and objectMutationLog.ts of microsoft/vscode, and
 * conversation.ts of microsoft/vscode-copilot-chat, read on 29 November 2026.
 */
export const vscodeChat: AgentFormat = {
  name: 'vscode-chat',
  title: 'VS Code chat',
  detect: ([first]) => first !== undefined && (isBeginning(first) || (isChat(first) && hasChatRequests(first))),
  document:
    /^\s*\{\s*"(?:version|requesterUsername|responderUsername|requesterAvatarIconUri|sessionId|initialLocation|requests|creationDate)"/,
  folders: (env, home) =>
    listEditorFolders(env, home).flatMap((folder) => [
      path.join(folder, 'workspaceStorage'),
      path.join(folder, 'globalStorage', 'emptyWindowChatSessions'),
      path.join(folder, 'globalStorage', 'transferredChatSessions'),
    ]),
  mayEnter: (file) => !/[\\/]workspaceStorage[\\/][^\\/]+[\\/](?!chatSessions(?:[\\/]|$))/.test(file),
  cwdFile: (session) => path.join(path.dirname(session), '..', 'workspace.json'),
  readCwd: (content) => readFolderUri(asObject(parseJson(content))['folder']),
  isSession: (file) =>
    /[\\/](?:chatSessions|emptyWindowChatSessions|transferredChatSessions)[\\/][^\\/]+\.jsonl?$/.test(file),
  read,
};

/** A request has an id and a message, or the chat names who writes. */
function hasChatRequests({ requests, responderUsername, creationDate }: JsonObject): boolean {
  const [request] = Array.isArray(requests) ? (requests as unknown[]) : [];
  return isObject(request)
    ? 'message' in request && ('response' in request || typeof request['requestId'] === 'string')
    : typeof responderUsername === 'string' || typeof creationDate === 'number';
}
