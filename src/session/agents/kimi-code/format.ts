import path from 'node:path';
import { asString, type JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentLines, AgentSession } from '../define.js';
import { doubtParts, isVersionWithin } from '../versions.js';
import { readKimiTime } from './messages.js';
import { WireReader } from './wire-reader.js';

/** Reads the records of one agent of a session. */
function read(lines: AgentLines, file: string): AgentSession {
  const { session, agent } = readPlace(file);
  const isSubagent = agent !== 'main';
  const id = isSubagent ? `${session}-${agent}` : session;
  const reader = new WireReader(id);
  let unusedLines = 0;
  let start: JsonObject = {};
  for (const line of lines) {
    if (isStart(line.value)) start = line.value;
    if (!reader.take(line)) unusedLines += 1;
  }
  const { list, declarations, isElided, cwd } = reader;
  const parts = {
    system: declarations.hasPrompt ? 'recorded' : 'missing',
    tools: declarations.hasTools ? 'recorded' : 'missing',
    // The words around a failed or empty result are not recorded, and large images are in other files.
    messages: 'approximate',
    compactions: isElided ? 'approximate' : 'recorded',
    usage: list.hasUsage ? 'recorded' : 'missing',
  } as const;
  return {
    header: buildPiHeader({
      id,
      timestamp: formatTime(readKimiTime(start)),
      cwd,
      parentSession: isSubagent ? session : null,
    }),
    isSubagent,
    // The file has the version of its protocol only.
    version: null,
    entries: list.entries,
    leafId: list.leafId,
    unusedLines,
    problems: [],
    parts: isVersionWithin(asString(start['protocol_version']), PROTOCOLS) ? parts : doubtParts(parts),
  };
}

const PROTOCOLS = ['1.0', '1.5'] as const;

/** The names of a session and of its agent: `SESSION/agents/AGENT/wire.jsonl`; of the file, if it is elsewhere. */
function readPlace(file: string): { readonly session: string; readonly agent: string } {
  const [, session, agent] = /([^/\\]+)[/\\]agents[/\\]([^/\\]+)[/\\]wire\.jsonl$/.exec(file) ?? [];
  return { session: session ?? path.basename(file, '.jsonl'), agent: agent ?? 'main' };
}

/** The first record. That of Kimi CLI, which Kimi Code replaced, has no time. */
function isStart({ type, protocol_version: protocol, created_at: created }: JsonObject): boolean {
  return type === 'metadata' && typeof protocol === 'string' && typeof created === 'number';
}

/**
 * Kimi Code: one record a line, which the client folds into its history. Source: the manifest of the protocol 1.5 and
 * the fold in MoonshotAI/kimi-code, `packages/agent-core-v2`, of 22 August 2026.
 */
export const kimiCode: AgentFormat = {
  name: 'kimi-code',
  title: 'Kimi Code',
  detect: ([start]) => start !== undefined && isStart(start),
  folders: (env, home) => [path.join(env['KIMI_CODE_HOME'] || path.join(home, '.kimi-code'), 'sessions')],
  isSession: (file) => /[\\/]agents[\\/][^\\/]+[\\/]wire\.jsonl$/.test(file),
  findId(file) {
    const { session, agent } = readPlace(file);
    return agent === 'main' ? session : `${session}-${agent}`;
  },
  read,
};
