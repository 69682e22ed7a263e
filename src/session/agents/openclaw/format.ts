import path from 'node:path';
import { asObject, asString } from '#base/json.js';
import { describeVersion, parentSessionOf } from '../../scan/header.js';
import { buildPiHeader, buildSpanProblem } from '../blocks.js';
import type { AgentFormat, AgentLines, AgentSession } from '../define.js';
import type { AgentRecord } from '../native-records.js';
import { isOpenClaw, NEWEST_VERSION } from './detect.js';
import { SessionReader } from './session-reader.js';

/**
 * OpenClaw: Pi's format with resets and chosen leaves, in files until July 2026, and then in a database for each of its
 * agents. Source: `openclaw` 2026.9.6, and its page on transcript events.
 */
export const openclaw: AgentFormat = {
  name: 'openclaw',
  title: 'OpenClaw',
  detect: isOpenClaw,
  folders: (env, home) => [
    path.join(env['OPENCLAW_STATE_DIR'] || path.join(env['OPENCLAW_HOME'] || home, '.openclaw'), 'agents'),
  ],
  mayEnter: (folder) => !/[\\/]agents[\\/][^\\/]+[\\/](?!(?:sessions|agent)(?:[\\/]|$))/.test(folder),
  isSession: (file) => /[\\/](?:sessions[\\/][^\\/]+|openclaw-agent\.sqlite[\\/][^\\/]+)\.jsonl$/.test(file),
  read,
};

function read(lines: AgentLines, file: string): AgentSession {
  let header: AgentRecord | null = null;
  let reader: SessionReader | null = null;
  let unusedLines = 0;
  for (const record of lines) {
    if (record.value['type'] === 'session') {
      header ??= record;
      continue;
    }
    reader ??= new SessionReader(asString(header?.value['id']) ?? path.basename(file, '.jsonl'), readVersion(header));
    if (!reader.take(record)) unusedLines += 1;
  }
  const fields = header?.value ?? {};
  const { id, timestamp, cwd } = fields;
  const isKnown = readVersion(header) <= NEWEST_VERSION;
  return {
    header: buildPiHeader({
      id: asString(id),
      timestamp: asString(timestamp),
      cwd,
      parentSession: parentSessionOf(fields),
    }),
    isSubagent: typeof asObject(fields['openclaw'])['spawnedBy'] === 'string',
    // A session names the version of its format only.
    version: null,
    entries: reader?.list.entries ?? [],
    leafId: reader?.leafId ?? null,
    unusedLines,
    problems: header === null || isKnown ? [] : [buildVersionProblem(header)],
    parts: {
      system: 'missing',
      tools: 'missing',
      // Requests have less of old results, and more about the channel.
      messages: 'approximate',
      compactions: isKnown ? 'recorded' : 'approximate',
      usage: reader?.list.hasUsage ? 'recorded' : 'missing',
    },
  };
}

function readVersion(header: AgentRecord | null): number {
  return Number(header?.value['version'] ?? 1);
}

function buildVersionProblem(header: AgentRecord): AgentSession['problems'][number] {
  const what = `${describeVersion(readVersion(header))} of the format is not known, so that messages may be missing`;
  return buildSpanProblem(header, 'unknown-version', 'warning', what);
}
