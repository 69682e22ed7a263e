import { asString, type JsonObject } from '#base/json.js';
import { type RawId, toHead } from '../heads/head.js';
import { buildLineId } from '../line-ids.js';
import type { LineSpan } from '../scan/lines.js';
import { toLineSpan } from '../scan/scan.js';
import type { AgentEntry } from './define.js';
import type { AgentRecord } from './native-records.js';

/** One of the entries that a line becomes. */
export interface LinkedPart {
  /** An entry of the type, role, target and time that the built one has, for its head. */
  readonly sample: JsonObject;
  /** The lines from which the entry is built; by default its own line. */
  readonly lines?: readonly LineSpan[];
  /** The entry that it targets, if not the one that a field of its type names. */
  readonly target?: RawId;
  /** Whether the agent added the message by itself, so that it starts no turn. */
  readonly isAdded?: boolean;
  /** Whether it has the id of the line; the last part has it if none says so. */
  readonly isNamed?: boolean;
  /** Builds its fields, apart from the id and the parent. */
  build(values: readonly JsonObject[]): JsonObject;
}

/** An entry with an id that no other one of its list has. */
interface LinkedEntry extends AgentEntry {
  readonly id: string;
  readonly parentId: string | null;
}

/**
 * The entries of a file whose lines have ids and parents, as Pi's have. A line may become several, one after the other.
 */
export class LinkedEntries {
  readonly entries: LinkedEntry[] = [];
  /** Whether any entry has a usage. */
  hasUsage = false;
  /** The last entry of the newest line; null before the first one. */
  lastId: string | null = null;
  private readonly taken = new Set<string>();
  /** The last entry of each line, by the id of the line. */
  private readonly ends = new Map<string | null, string | null>();
  private unnamed = 0;

  constructor(private readonly sessionId: string) {}

  /** The entry that follows a line is the child of this one; the id itself for a line that is not known. */
  endOf(id: string | null): string | null {
    return this.ends.get(id) ?? id;
  }

  /** The id of a line; one of its number if it has none. */
  lineIdOf({ value, line }: AgentRecord): string {
    return readLineId(value) ?? buildLineId(this.sessionId, line);
  }

  /** Lets an id name another line. */
  alias(id: string, lineId: string | null): void {
    this.ends.set(id, this.endOf(lineId));
  }

  /** Adds an entry before all others. */
  addRoot(record: AgentRecord, part: LinkedPart): void {
    const [id] = this.add(record, [part], null);
    this.ends.set(null, id ?? null);
  }

  /** Adds the entries of a line. `parentId`: the line that it follows. Returns their ids. */
  add(record: AgentRecord, parts: readonly LinkedPart[], parentId: string | null): readonly string[] {
    const lineId = this.lineIdOf(record);
    const named = parts.findIndex(({ isNamed }) => isNamed === true);
    const owner = named === -1 ? parts.length - 1 : named;
    let parent = this.endOf(parentId);
    const ids = parts.map((part, at) => {
      const id = at === owner ? this.take(lineId) : this.takeUnnamed();
      this.push(record, part, { id, parentId: parent });
      parent = id;
      return id;
    });
    this.ends.set(lineId, parent);
    this.lastId = parent;
    return ids;
  }

  private push(
    record: AgentRecord,
    { sample, lines, target, isAdded, build }: LinkedPart,
    ids: { readonly id: string; readonly parentId: string | null },
  ): void {
    const own = toLineSpan(record);
    const { timestamp } = record.value;
    const head = toHead({ timestamp, ...sample }, own);
    const hasUsage = head.usageLength > 0;
    this.hasUsage ||= hasUsage;
    this.entries.push({
      type: head.type,
      role: head.role,
      time: head.time,
      hasSummary: head.hasSummary,
      isAdded: isAdded ?? head.isAdded ?? false,
      target: target === undefined ? head.target : target,
      ...ids,
      lines: lines ?? [own],
      location: own,
      hasUsage,
      build: (values) => ({ type: head.type, ...ids, timestamp, ...build(values), ...ids }),
    });
  }

  /** The id of a line, if no other entry has it. */
  private take(id: string): string {
    if (this.taken.has(id)) return this.takeUnnamed();
    this.taken.add(id);
    return id;
  }

  private takeUnnamed(): string {
    this.unnamed += 1;
    return this.take(buildLineId(this.sessionId, FIRST_UNNAMED + this.unnamed));
  }
}

/** No line has this number. */
const FIRST_UNNAMED = 2 ** 31;

/** The id of a line; null for one that no other can follow. */
export function readLineId({ id }: JsonObject): string | null {
  return asString(id) || null;
}

/** Returns the part for a line that is an unchanged entry of Pi. */
export function toSamePart(value: JsonObject): LinkedPart {
  return { sample: value, build: ([line = {}]) => line };
}

/** The part of a line that no request has. `customType`: what it is. */
export function toUnsentPart(customType: string): LinkedPart {
  return { sample: { type: 'custom' }, build: ([data]) => ({ customType, data }) };
}
