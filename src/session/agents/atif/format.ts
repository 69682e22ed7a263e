import path from 'node:path';
import { buildWarning, type Problem } from '#base/errors.js';
import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentSession } from '../define.js';
import type { AgentRecord } from '../native-records.js';
import { readDocument } from '../one-document.js';
import { doubtParts } from '../versions.js';
import { listSteps } from './steps.js';
import { TrajectoryReader } from './trajectory-reader.js';

/** Reads a trajectory, which is one document. */
function read(lines: Iterable<AgentRecord>, file: string): AgentSession {
  const { value: document, span, countUnused } = readDocument(lines);
  const { session_id: session, trajectory_id: trajectory, agent, extra } = document;
  const steps = listSteps(document);
  const own = asObject(asObject(extra)['ctx'])['header'];
  const id = asString(session) ?? asString(trajectory) ?? path.basename(file, '.json');
  const reader = new TrajectoryReader(span, id, document);
  reader.readAll(steps);
  const { name, version } = asObject(agent);
  return {
    header: isObject(own) ? own : buildPiHeader({ id, timestamp: findBegin(steps) }),
    version: [name, version].flatMap((word) => asString(word) ?? []).join(' ') || null,
    entries: reader.list.entries,
    leafId: reader.list.leafId,
    unusedLines: countUnused(steps),
    problems: listProblems(document, reader.list.hasUsage),
    parts: isKnown(document) ? reader.parts : doubtParts(reader.parts),
  };
}

/** The time of the first step that has one. */
function findBegin(steps: readonly JsonObject[]): string | null {
  const timed = steps.find(({ timestamp }) => typeof timestamp === 'string');
  return asString(timed?.['timestamp']);
}

/** Whether a version is known. Each version from 1.0 to 1.7 has the fields of the one before. */
function isKnown({ schema_version: version }: JsonObject): boolean {
  return /^ATIF-v1\.[0-7]$/.test(asString(version) ?? '');
}

function listProblems(document: JsonObject, hasUsage: boolean): readonly Problem[] {
  const { subagent_trajectories: subagents, final_metrics: sums, continued_trajectory_ref: next } = document;
  const embedded = listObjects(subagents).length;
  const { total_prompt_tokens: tokens } = asObject(sums);
  return [
    ...(embedded > 0
      ? [
          buildWarning(
            'embedded-trajectories',
            `${pluralize(embedded, 'trajectory', 'trajectories')} of subagents in this file are not read`,
          ),
        ]
      : []),
    ...(!hasUsage && typeof tokens === 'number'
      ? [buildWarning('sums-only', 'tokens are recorded only as a sum of all steps, which ctx does not count')]
      : []),
    ...(typeof next === 'string' ? [buildWarning('continued', 'another trajectory continues this one')] : []),
  ];
}

/**
 * ATIF, the Agent Trajectory Interchange Format of Harbor: one document with the steps of a run. Source: RFC 0001 of
 * harbor-framework/harbor, versions 1.0 to 1.7. What ctx writes in this format, it reads back as it was.
 */
export const atif: AgentFormat = {
  name: 'atif',
  title: 'ATIF',
  detect: ([document]) =>
    asString(document?.['schema_version'])?.startsWith('ATIF-') === true && Array.isArray(document?.['steps']),
  document: /^\s*\{\s*"(?:schema_version|session_id|trajectory_id|agent|steps|notes|extra)"/,
  folders: () => [],
  isSession: (file) => /trajectory[^/\\]*\.json$/.test(file),
  read,
};
