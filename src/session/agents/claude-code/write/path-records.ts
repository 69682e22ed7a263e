import { asString, type JsonObject } from '#base/json.js';
import { formatId, type Head } from '../../../heads/head.js';
import type { LineSpan } from '../../../scan/lines.js';
import type { CopiedSession } from '../../copier.js';
import type { AgentRecord } from '../../native-records.js';
import { isBoundary, isInChain } from './broken-links.js';

/** A record of a conversation. */
export interface PathRecord {
  readonly record: AgentRecord;
  /** Whether it follows no other one: the first one, and the boundary of a compaction. */
  readonly isStart: boolean;
}

/**
 * Lists the records of a path in the order in which they are sent: what a compaction keeps follows its summary, and the
 * lines of an answer are together, before the results of its calls.
 */
export function listPathRecords(session: CopiedSession): readonly PathRecord[] {
  const { path, native } = session;
  const all = [...native.all()].filter(({ value }) => isInChain(value));
  const byOffset = new Map(all.map((record) => [record.offset, record]));
  const recordsOf = (head: Head | undefined): readonly AgentRecord[] =>
    (head ? native.of(head) : []).flatMap(({ offset }: LineSpan) => byOffset.get(offset) ?? []);
  const heads = new Map(path.map((head) => [formatId(head.id), head]));
  const list = new RecordList();
  for (const [at, head] of path.entries()) {
    const entry = head.type === 'compaction' || head.type === 'context_transform' ? session.entry(head) : {};
    if (head.type === 'compaction') {
      const kept =
        entry['firstKeptEntryId'] === formatId(head.id)
          ? undefined
          : heads.get(asString(entry['firstKeptEntryId']) ?? '');
      list.compact(recordsOf(head), recordsOf(kept)[0] ?? null);
    } else if (entry['transformerName'] === 'boundary') {
      list.reset(recordsOf(head), path.slice(at + 1).flatMap(recordsOf));
    } else if (head.type === 'branch_summary') list.add(recordsOf(head).filter(({ value }) => !isBoundary(value)));
    else list.add(recordsOf(head));
  }
  return list.withOthers(new Map(all.map((record) => [record.value['uuid'], record])));
}

/** Records in the order in which they are sent. */
class RecordList {
  private records: AgentRecord[] = [];
  private readonly starts = new Set<AgentRecord>();
  /** The boundaries and the summaries of compactions. */
  private readonly ofCompactions = new Set<AgentRecord>();
  private readonly seen = new Set<AgentRecord>();
  private isStart = true;

  add(added: readonly AgentRecord[]): void {
    for (const record of added) {
      if (this.seen.has(record)) continue;
      this.seen.add(record);
      this.records.push(record);
      if (this.isStart) this.starts.add(record);
      this.isStart = false;
    }
  }

  /** Adds a boundary and its summary, and puts what they keep after them. */
  compact(own: readonly AgentRecord[], firstKept: AgentRecord | null): void {
    const at = firstKept ? this.records.indexOf(firstKept) : -1;
    const after = at === -1 ? [] : this.records.splice(at);
    const isOfCompaction = (record: AgentRecord): boolean => this.ofCompactions.has(record);
    this.records.push(...after.filter(isOfCompaction));
    this.isStart = true;
    this.add(own);
    for (const record of own) this.ofCompactions.add(record);
    this.records.push(...after.filter((record) => !isOfCompaction(record)));
  }

  /** Begins without any message. `later`: the records after it, which may repeat earlier ones. */
  reset(own: readonly AgentRecord[], later: readonly AgentRecord[]): void {
    const repeated = new Set([...own, ...later]);
    this.records = this.records.filter((record) => !repeated.has(record));
    for (const record of repeated) this.seen.delete(record);
    this.isStart = true;
    this.add(own.filter(({ value }) => isBoundary(value)));
  }

  /** The list, with the records between two of them that have no message. `byUuid`: all records. */
  withOthers(byUuid: ReadonlyMap<unknown, AgentRecord>): readonly PathRecord[] {
    return this.records.flatMap((record, at) => {
      const isStart = this.starts.has(record);
      const before = this.records[at - 1];
      const between = before && !isStart ? this.listBetween(before, record, byUuid) : [];
      return [...between.map((other) => ({ record: other, isStart: false })), { record, isStart }];
    });
  }

  private listBetween(
    before: AgentRecord,
    after: AgentRecord,
    byUuid: ReadonlyMap<unknown, AgentRecord>,
  ): readonly AgentRecord[] {
    const between: AgentRecord[] = [];
    for (let steps = 0, at = parentOf(after, byUuid); steps < MOST_BETWEEN; steps += 1) {
      if (at === before) return between.filter(({ value }) => isKept(value)).toReversed();
      if (!at || this.seen.has(at)) return [];
      between.push(at);
      at = parentOf(at, byUuid);
    }
    return [];
  }
}

function parentOf({ value }: AgentRecord, byUuid: ReadonlyMap<unknown, AgentRecord>): AgentRecord | undefined {
  return byUuid.get(value['parentUuid']);
}

function isKept({ type, isSidechain }: JsonObject): boolean {
  return type !== 'progress' && isSidechain !== true;
}

/** Few records between two messages have none. */
const MOST_BETWEEN = 256;
