import type { Problem } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import type { ForeignEntry, ForeignLine, ForeignSession } from '../define.js';
import { activePath } from './active.js';
import { SNAPSHOT } from './attachments.js';
import { firstRead, LiveChain } from './chain.js';
import { TreeGrowth } from './grow.js';
import type { Node } from './node.js';
import type { RecordedLines } from './records.js';
import { recordsIn } from './records.js';
import { Shape } from './shape.js';
import { windowIn } from './window.js';

/** Reads a session file of Claude Code, or one of its subagents. */
export function read(lines: Iterable<ForeignLine>, file: string): ForeignSession {
  const records = recordsIn(lines);
  const last = records.lines.at(-1);
  const start = firstRead(records.chain.values(), last ? last.offset + last.length : 0);
  const live = new LiveChain(records.chain, start);
  const found = live.tip();
  const shape = new Shape(records.chain, new Set(found ? live.pathTo(found.tip) : []), start);
  const growth = new TreeGrowth(records, shape);
  const { leaf, problems } = activePath(growth, live, found);
  const entries = entriesOf(growth.writer.nodes.all);
  return {
    header: headerOf(records, file),
    version: records.facts.version,
    contextWindow: windowIn(records),
    entries,
    leafId: asString(leaf?.entry.id),
    unused: unusedLines(records, entries),
    // The parents of a subagent's records may be in the file of the session that started it.
    problems: records.facts.agentId === null ? [...problems, ...lostParents(records)] : problems,
    parts: partsOf(records),
  };
}

/** In the order of their lines; those of one line in the order in which they were built. */
function entriesOf(nodes: readonly Node[]): readonly ForeignEntry[] {
  return nodes.map(({ entry }) => entry).toSorted((a, b) => offsetOf(a) - offsetOf(b));
}

function offsetOf({ at, lines }: ForeignEntry): number {
  return (at ?? lines[0])?.offset ?? 0;
}

function unusedLines({ lines }: RecordedLines, entries: readonly ForeignEntry[]): ForeignSession['unused'] {
  const used = new Set(entries.flatMap((entry) => entry.lines.map(({ offset }) => offset)));
  return lines.filter(({ offset }) => !used.has(offset));
}

const SUBAGENT = /^(.*?)([^/\\]+)[/\\]subagents[/\\](agent-[^/\\]+)\.jsonl$/;

function headerOf({ facts, firstTimestamp }: RecordedLines, file: string): JsonObject {
  const [, folder, parent, agent] = SUBAGENT.exec(file) ?? [];
  const id = agent ?? (facts.agentId === null ? facts.sessionId : `agent-${facts.agentId}`);
  const parentSession =
    parent === undefined ? (facts.agentId === null ? null : `${facts.sessionId}.jsonl`) : `${folder}${parent}.jsonl`;
  return {
    type: 'session',
    version: 3,
    id,
    timestamp: firstTimestamp,
    ...(facts.cwd === null ? {} : { cwd: facts.cwd }),
    ...(parentSession === null ? {} : { parentSession }),
  };
}

function lostParents({ chain }: RecordedLines): readonly Problem[] {
  return [...chain.values()].flatMap((record) => {
    if (!record.parent || chain.has(record.parent)) return [];
    const { line, offset, length } = record.span;
    const message = 'its parent is not in the file, so the path begins here';
    return [{ code: 'orphan', severity: 'warning' as const, message, line, offset, length, entryId: null }];
  });
}

function partsOf({ chain }: RecordedLines): ForeignSession['parts'] {
  const kinds = new Set([...chain.values()].filter(({ type }) => type === 'attachment').map(({ kind }) => kind));
  const prompt = kinds.has(SNAPSHOT) ? 'recorded' : 'missing';
  kinds.delete(SNAPSHOT);
  return {
    system: prompt,
    tools: prompt,
    messages: kinds.size > 0 ? 'approximate' : 'recorded',
    compactions: 'recorded',
    usage: 'recorded',
  };
}
