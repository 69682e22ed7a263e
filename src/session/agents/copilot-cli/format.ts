import path from 'node:path';
import { buildWarning, type Problem } from '#base/errors.js';
import { asCount, asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentSession } from '../define.js';
import type { AgentRecord } from '../native-records.js';
import { EventReader } from './event-reader.js';

/** Reads the events of a session. A rewind removes those that it takes back from the file. */
function read(lines: Iterable<AgentRecord>, file: string): AgentSession {
  let start: JsonObject = {};
  let unusedLines = 0;
  let reader: EventReader | null = null;
  for (const line of lines) {
    const { type, data } = line.value;
    if (type === 'session.start') start = asObject(data);
    reader ??= new EventReader(asString(asObject(data)['sessionId']) ?? readFolderId(file));
    if (!reader.take(line)) unusedLines += 1;
  }
  const { sessionId, copilotVersion, startTime, context } = start;
  const { cwd } = asObject(context);
  const tokens = reader?.contextWindow ?? null;
  return {
    header: buildPiHeader({ id: asString(sessionId) ?? readFolderId(file), timestamp: asString(startTime), cwd }),
    version: asString(copilotVersion),
    contextWindow: tokens === null ? null : { tokens, source: 'recorded' },
    entries: reader?.list.entries ?? [],
    leafId: reader?.list.leafId ?? null,
    unusedLines,
    problems: reader ? listProblems(reader) : [],
    parts: {
      system: reader?.hasSystem ? 'recorded' : 'missing',
      tools: 'missing',
      messages: reader?.hasTruncation ? 'approximate' : 'recorded',
      compactions: 'recorded',
      usage: reader?.list.hasUsage ? 'recorded' : 'missing',
    },
  };
}

function listProblems({ list, ofSubagents, hasTruncation, shutdown }: EventReader): readonly Problem[] {
  const totals = list.hasUsage ? [] : describeTotals(shutdown);
  return [
    ...(ofSubagents > 0
      ? [buildWarning('subagent-events', `${pluralize(ofSubagents, 'message')} of subagents in this file are not read`)]
      : []),
    ...(hasTruncation
      ? [buildWarning('truncated-by-agent', 'Copilot CLI left out older messages, and does not record which')]
      : []),
    ...totals.map((text) => buildWarning('sums-only', text)),
  ];
}

/** The tokens of all requests to a model, in the order of the record. Older versions write no others. */
function describeTotals(shutdown: JsonObject): readonly string[] {
  return Object.entries(asObject(shutdown['modelMetrics'])).map(([model, metric]) => {
    const usage = asObject(asObject(metric)['usage']);
    const count = (key: string): string => formatCount(asCount(usage[key]) ?? 0);
    const sums = `${count('inputTokens')} in (${count('cacheReadTokens')} read from the cache), ${count('outputTokens')} out`;
    return `tokens are recorded only as sums of the session, which ctx does not count: ${model}: ${sums}`;
  });
}

/** The folder of a session has its id. */
function readFolderId(file: string): string {
  return path.basename(path.dirname(file));
}

/**
 * GitHub Copilot CLI: one event a line. Source: the types of the events in @github/copilot-sdk 1.0.14, and sessions of
 * the client 1.0.102 with the requests that it sent.
 */
export const copilotCli: AgentFormat = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  knownVersions: ['1.0', '1.0'],
  detect: (first) =>
    first.some(
      ({ type, data }) => type === 'session.start' && isObject(data) && typeof data['copilotVersion'] === 'string',
    ),
  folders: (env, home) => [path.join(env['COPILOT_HOME'] || path.join(home, '.copilot'), 'session-state')],
  isSession: (file) => /[\\/]events\.jsonl$/.test(file),
  findId: readFolderId,
  read,
};
