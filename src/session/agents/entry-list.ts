import type { JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import type { RawId } from '../heads/head.js';
import { buildLineId } from '../line-ids.js';
import type { LineSpan } from '../scan/lines.js';
import type { AgentEntry } from './define.js';

/** The lines of an entry, and its time. */
export interface EntryLines {
  /** The first locates the entry; the others may be added later. */
  readonly lines: LineSpan[];
  /** Milliseconds since 1970, NaN if unknown. */
  readonly time: number;
}

/** An entry to append to an {@link EntryList}. */
export interface NewAgentEntry extends EntryLines {
  readonly type: string;
  readonly role?: string | null;
  readonly hasUsage?: boolean;
  /** Its id, if the file records one; else the list gives it one. */
  readonly id?: string;
  /** The id of the entry that it edits or labels, or of the first one that it keeps. */
  readonly target?: RawId;
  /** Whether it is a branch summary that is not empty. */
  readonly hasSummary?: boolean;
  /** The fields of the entry other than its type, id, parent and time. */
  build(values: readonly JsonObject[]): JsonObject;
}

/** An entry of the list, which may still learn that it has a usage. */
export interface ListedEntry extends AgentEntry {
  readonly id: string;
  readonly lines: LineSpan[];
  hasUsage: boolean;
}

/**
 * The entries of a conversation, each of them the child of the leaf. Their ids depend on the session and their number.
 */
export class EntryList {
  readonly entries: ListedEntry[] = [];
  /** The entry that the next one follows; set it to go back. */
  leafId: string | null = null;
  /** Whether any entry has a usage. */
  hasUsage = false;
  private model = '';

  constructor(private readonly sessionId: string) {}

  /** Appends an entry and makes it the leaf. */
  add(entry: NewAgentEntry): ListedEntry {
    const { type, role = null, target, lines, time, hasUsage = false, hasSummary = false, build } = entry;
    const id = entry.id ?? buildLineId(this.sessionId, this.entries.length + 1);
    const parentId = this.leafId;
    const base = { type, id, parentId, timestamp: formatTime(time) ?? undefined };
    const listed: ListedEntry = {
      type,
      id,
      parentId,
      role,
      target,
      time,
      hasSummary,
      hasUsage,
      lines,
      build: (values) => ({ ...base, ...build(values) }),
    };
    this.entries.push(listed);
    this.leafId = id;
    this.hasUsage ||= hasUsage;
    return listed;
  }

  /** Appends a message, which `build` makes of the values of the lines. */
  addMessage(role: string, { lines, time }: EntryLines, build: NewAgentEntry['build'], hasUsage = false): ListedEntry {
    const own = { lines: [...lines], time, hasUsage };
    return this.add({ type: 'message', role, ...own, build: (values) => ({ message: build(values) }) });
  }

  /** Appends a change of the model, unless it is the same as before. */
  addModel(provider: string, modelId: string | null, at: EntryLines): void {
    if (modelId === null || this.model === `${provider}/${modelId}`) return;
    this.model = `${provider}/${modelId}`;
    this.add({ ...at, type: 'model_change', build: () => ({ provider, modelId }) });
  }
}
