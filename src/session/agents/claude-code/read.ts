import type { Problem } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import type { ForeignLines, ForeignSession } from '../define.js';
import { activePath } from './active.js';
import { SNAPSHOT } from './attachments.js';
import { firstRead, LiveChain } from './chain.js';
import { entriesOf } from './entries.js';
import { KNOWN, LAYOUT, TYPE } from './fields.js';
import { TreeGrowth } from './grow.js';
import { NONE, ClaudeRecords } from './records.js';
import { Shape } from './shape.js';
import { windowIn } from './window.js';

/** Reads a session file of Claude Code, or one of its subagents. */
export function read(lines: ForeignLines, file: string): ForeignSession {
  const records = new ClaudeRecords(lines.table(LAYOUT, KNOWN), (span) => lines.valueAt(span));
  const start = firstRead(records);
  const live = new LiveChain(records, start);
  const shape = new Shape(records, live.activeLines(), start);
  const growth = new TreeGrowth(records, shape);
  const { leaf, problems } = activePath(growth, records, live);
  const { nodes } = growth.writer;
  const { entries, indexOf } = entriesOf(nodes);
  return {
    header: headerOf(records, file),
    isSubagent: records.agentId !== null,
    version: records.version,
    contextWindow: windowIn(records),
    entries,
    leafId: asString(entries.heads.at(indexOf(leaf))?.id),
    ...useOf(growth),
    // The parents of a subagent's records may be in the file of the session that started it.
    problems: records.agentId === null ? [...problems, ...lostParents(records)] : problems,
    parts: partsOf(records),
  };
}

/** The number of lines that no entry is built from, and the bytes of all lines. */
function useOf({ writer: { nodes } }: TreeGrowth): Pick<ForeignSession, 'unused' | 'bytes'> {
  const { table } = nodes.records;
  const isUsed = new Uint8Array(table.length);
  for (let node = 0; node < nodes.length; node += 1) {
    if (nodes.hasOwnLines(node)) for (const line of nodes.lines(node)) isUsed[line] = 1;
    else isUsed[nodes.record(node)] = 1;
  }
  let [unused, bytes] = [0, 0];
  for (let line = 0; line < table.length; line += 1) {
    if (isUsed[line] === 0 && !table.isObject(line)) continue;
    bytes += table.offsetOf(line + 1) - table.offsetOf(line);
    if (isUsed[line] === 0) unused += 1;
  }
  return { unused, bytes };
}

const SUBAGENT = /^(.*?)([^/\\]+)[/\\]subagents[/\\](agent-[^/\\]+)\.jsonl$/;

function headerOf({ agentId, sessionId, cwd, firstTimestamp }: ClaudeRecords, file: string): JsonObject {
  const [, folder, parent, agent] = SUBAGENT.exec(file) ?? [];
  const id = agent ?? (agentId === null ? sessionId : `agent-${agentId}`);
  const parentSession =
    parent === undefined ? (agentId === null ? null : `${sessionId}.jsonl`) : `${folder}${parent}.jsonl`;
  return {
    type: 'session',
    version: 3,
    id,
    timestamp: firstTimestamp,
    ...(cwd === null ? {} : { cwd }),
    ...(parentSession === null ? {} : { parentSession }),
  };
}

function lostParents(records: ClaudeRecords): readonly Problem[] {
  const problems: Problem[] = [];
  for (const line of records.order) {
    const parent = records.parent(line);
    if (parent === 0 || records.lineOf(parent) !== NONE) continue;
    const message = 'its parent is not in the file, so the path begins here';
    problems.push({ code: 'orphan', severity: 'warning', message, ...records.table.span(line), entryId: null });
  }
  return problems;
}

function partsOf(records: ClaudeRecords): ForeignSession['parts'] {
  const kinds = new Set<number>();
  for (const line of records.order) if (records.types[line] === TYPE.attachment) kinds.add(records.kind(line));
  const others = [...kinds].filter((kind) => kind === 0 || records.table.text(kind) !== SNAPSHOT);
  const prompt = others.length < kinds.size ? 'recorded' : 'missing';
  return {
    system: prompt,
    tools: prompt,
    messages: others.length > 0 ? 'approximate' : 'recorded',
    compactions: 'recorded',
    usage: 'recorded',
  };
}
