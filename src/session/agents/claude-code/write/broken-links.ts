import { asString, type JsonObject } from '#base/json.js';
import type { BrokenLink } from '../../faults.js';
import type { AgentRecord } from '../../native-records.js';

/** Whether a record has a place in the tree. */
export function isInChain(value: JsonObject): boolean {
  return typeof value['uuid'] === 'string' && CHAIN_TYPES.has(value['type']);
}

/** Whether a record is the boundary of a compaction, before which the client reads no message. */
export function isBoundary(value: JsonObject): boolean {
  return value['subtype'] === 'compact_boundary';
}

const CHAIN_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** A record of the conversation, and the one before it in the file. */
interface Link {
  readonly record: AgentRecord;
  readonly uuid: string;
  readonly parent: string | null;
  readonly before: string | null;
}

/**
 * Finds records whose parent is not in the file, and one of each cycle. They follow the record before them in the file,
 * as a session without branches is written. The first record may name a parent elsewhere.
 */
export function findBrokenLinks(records: Iterable<AgentRecord>): readonly BrokenLink[] {
  const links = listLinks(records);
  const parents = new Map(links.map(({ uuid, parent }) => [uuid, parent]));
  const broken: BrokenLink[] = [];
  const relink = ({ record, uuid, parent, before }: Link, isCircular: boolean): void => {
    if (parent === null) return;
    parents.set(uuid, before);
    broken.push({ record, from: parent, to: before, isCircular });
  };
  for (const link of links) {
    if (link.parent !== null && !parents.has(link.parent) && link.before !== null) relink(link, false);
  }
  for (const link of findCycleEnds(links, parents)) relink(link, true);
  return broken.toSorted((a, b) => a.record.offset - b.record.offset);
}

function listLinks(records: Iterable<AgentRecord>): readonly Link[] {
  const links: Link[] = [];
  const lasts = new Map<unknown, string>();
  for (const record of records) {
    const { value } = record;
    if (!isInChain(value)) continue;
    const uuid = asString(value['uuid']) ?? '';
    // A subagent in the same file has a chain of its own.
    const chain = value['isSidechain'] === true ? value['agentId'] : null;
    links.push({ record, uuid, parent: asString(value['parentUuid']), before: lasts.get(chain) ?? null });
    if (value['type'] !== 'progress') lasts.set(chain, uuid);
  }
  return links;
}

/** The record of each cycle whose parent is the furthest behind it. */
function findCycleEnds(links: readonly Link[], parents: ReadonlyMap<string, string | null>): readonly Link[] {
  const byUuid = new Map(links.map((link, place) => [link.uuid, { link, place }]));
  const settled = new Set<string>();
  const ends: Link[] = [];
  for (const { uuid } of links) {
    const walked = new Map<string, number>();
    let next: string | null = uuid;
    while (next !== null && !settled.has(next) && !walked.has(next)) {
      walked.set(next, walked.size);
      next = parents.get(next) ?? null;
    }
    const start = next === null ? undefined : walked.get(next);
    if (start !== undefined) {
      const cycle = [...walked.keys()].slice(start).flatMap((each) => byUuid.get(each) ?? []);
      const first = cycle.reduce((least, each) => (each.place < least.place ? each : least));
      ends.push(first.link);
    }
    for (const each of walked.keys()) settled.add(each);
  }
  return ends;
}
