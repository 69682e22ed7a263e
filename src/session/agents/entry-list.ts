import type { JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { buildLineId } from '../line-ids.js';
import type { LineSpan } from '../scan/lines.js';
import type { AgentEntry } from './define.js';

/** An entry to append to an {@link EntryList}. */
export interface NewAgentEntry {
  readonly type: string;
  readonly role?: string | null;
  /** The first locates the entry; the others may be added later. */
  readonly lines: LineSpan[];
  /** Milliseconds since 1970, NaN if unknown. */
  readonly time: number;
  readonly hasUsage?: boolean;
  /** The id of the entry that it edits. */
  readonly target?: string;
  /** The fields of the entry other than its type, id, parent and time. */
  build(values: readonly JsonObject[]): JsonObject;
}

/** An entry of the list, which may still learn that it has a usage. */
export interface ListedEntry extends AgentEntry {
  readonly id: string;
  readonly lines: LineSpan[];
  hasUsage: boolean;
}

/** The entries of a conversation, each of them the child of the leaf. Their ids depend on the session and their number. */
export class EntryList {
  readonly entries: ListedEntry[] = [];
  /** The entry that the next one follows; set it to go back. */
  leafId: string | null = null;
  /** Whether any entry has a usage. */
  hasUsage = false;
  private model = '';

  constructor(private readonly sessionId: string) {}

  /** Appends an entry and makes it the leaf. */
  add({ type, role = null, lines, time, hasUsage = false, target, build }: NewAgentEntry): ListedEntry {
    const id = buildLineId(this.sessionId, this.entries.length + 1);
    const parentId = this.leafId;
    const base = { type, id, parentId, timestamp: formatTime(time) ?? undefined };
    const entry: ListedEntry = {
      type,
      id,
      parentId,
      role,
      target,
      time,
      hasSummary: false,
      hasUsage,
      lines,
      build: (values) => ({ ...base, ...build(values) }),
    };
    this.entries.push(entry);
    this.leafId = id;
    this.hasUsage ||= hasUsage;
    return entry;
  }

  /** Appends a message, which `build` makes of the values of the lines. */
  addMessage(
    role: string,
    { lines, time }: Pick<NewAgentEntry, 'lines' | 'time'>,
    build: NewAgentEntry['build'],
    hasUsage = false,
  ): ListedEntry {
    const own = { lines: [...lines], time, hasUsage };
    return this.add({ type: 'message', role, ...own, build: (values) => ({ message: build(values) }) });
  }

  /** Appends a change of the model, unless it is the same as before. */
  addModel(provider: string, modelId: string | null, at: Pick<NewAgentEntry, 'lines' | 'time'>): void {
    if (modelId === null || this.model === `${provider}/${modelId}`) return;
    this.model = `${provider}/${modelId}`;
    this.add({ ...at, type: 'model_change', build: () => ({ provider, modelId }) });
  }
}
