import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { toTextBlock } from '../blocks.js';
import { LinkedEntries, type LinkedPart, toSamePart, toUnsentPart } from '../linked-entries.js';
import type { AgentRecord } from '../native-records.js';
import { TranscriptTree } from './transcript-tree.js';

/** The facts about an entry that a later reset needs. */
interface PathEntry {
  readonly id: string;
  /** The id of the record that it follows. */
  readonly parentId: string | null;
  /** The calls of an answer. */
  readonly calls: readonly unknown[];
  /** Whether a reset keeps it: a call for a result that it keeps if it keeps the call. */
  readonly kept: boolean | { readonly call: unknown };
}

/** Reads the entries of a transcript of OpenClaw, which has Pi's format with resets, and leaves that are chosen. */
export class SessionReader {
  readonly list: LinkedEntries;
  private readonly tree = new TranscriptTree();
  private readonly path = new Map<string, PathEntry>();
  /** Limits the work for a hostile file with resets that each keep all. */
  private stepsLeft = 5e6;
  /** The record before, for version 1, a list without ids. */
  private previous: string | null = null;

  constructor(
    sessionId: string,
    private readonly version: number,
  ) {
    this.list = new LinkedEntries(sessionId);
  }

  /** The entry at which the session goes on. */
  get leafId(): string | null {
    return this.list.endOf(this.tree.leafId);
  }

  /** Adds the entries of a record; false if it has none. */
  take(record: AgentRecord): boolean {
    const { value } = record;
    const linked = this.version < 2 ? { ...value, id: this.list.lineIdOf(record), parentId: this.previous } : value;
    const place = this.tree.add(linked);
    if (place === null || typeof value['type'] !== 'string') return false;
    const { id, parentId } = place;
    this.previous = id;
    if (place.isMove) {
      this.list.alias(id, parentId);
      return false;
    }
    const ids = this.list.add(record, this.toParts(value, parentId), parentId);
    this.path.set(id, describeEntry(value, { id: ids.at(-1) ?? id, parentId }));
    return true;
  }

  private toParts(value: JsonObject, parentId: string | null): readonly LinkedPart[] {
    switch (value['type']) {
      case 'message':
        return [toMessagePart(value)];
      case 'reset':
        return this.toReset(value, parentId);
      case 'custom_message':
      case 'branch_summary':
      case 'compaction':
      case 'thinking_level_change':
      case 'model_change':
      case 'custom':
      case 'label':
      case 'session_info':
        return [toSamePart(value)];
      default:
        return [toUnsentPart(String(value['type']))];
    }
  }

  /** A reset keeps the words of the user, answers and their results from an entry on, and nothing else. */
  private toReset({ firstKeptEntryId }: JsonObject, parentId: string | null): readonly LinkedPart[] {
    const first = asString(firstKeptEntryId);
    const kept = first === null ? null : this.listPathFrom(first, parentId);
    const reset = { type: 'reset_boundary', ...(kept?.[0] && { firstKeptEntryId: kept[0].id }) };
    const part: LinkedPart = { sample: reset, isNamed: true, build: () => reset };
    if (kept === null) return [part];
    const calls = new Set(kept.flatMap((entry) => entry.calls));
    const omitted = kept.filter((entry) =>
      typeof entry.kept === 'boolean' ? !entry.kept : !calls.has(entry.kept.call),
    );
    const edits = omitted.map(({ id }): LinkedPart => {
      const edit = { targetId: id, replacement: null };
      return { sample: { type: 'context_edit', ...edit }, build: () => edit };
    });
    return [...edits, part];
  }

  /** The entries of a path from one on; null if that is not on it. */
  private listPathFrom(first: string, last: string | null): readonly PathEntry[] | null {
    const found: PathEntry[] = [];
    const seen = new Set<string>();
    for (let id = last; id !== null && !seen.has(id);) {
      seen.add(id);
      const entry = this.path.get(id);
      this.stepsLeft -= 1;
      if (!entry || this.stepsLeft < 0) return null;
      found.push(entry);
      if (id === first) return found.toReversed();
      id = entry.parentId;
    }
    return null;
  }
}

function describeEntry(value: JsonObject, ids: Pick<PathEntry, 'id' | 'parentId'>): PathEntry {
  const { role, content, toolCallId } = asObject(value['message']);
  const calls =
    role === 'assistant' ? listObjects(content).flatMap(({ type, id }) => (type === 'toolCall' ? [id] : [])) : [];
  const isSaid = value['type'] === 'message' && (role === 'user' || role === 'assistant');
  const addsMessage =
    value['type'] === 'message' || value['type'] === 'custom_message' || value['type'] === 'branch_summary';
  const kept = role === 'toolResult' ? { call: toolCallId } : isSaid || !addsMessage;
  return { ...ids, calls, kept };
}

/** The kinds of copies that a transcript has of what was sent to a channel. */
const MIRRORS: ReadonlySet<unknown> = new Set([
  'channel-final',
  'channel-final-suppressed',
  'message-tool-source-reply',
  'cron-direct-delivery-context',
]);

function toMessagePart(value: JsonObject): LinkedPart {
  const message = asObject(value['message']);
  const { role, excludeFromContext, openclawDeliveryMirror } = message;
  const isMirror = role === 'assistant' && MIRRORS.has(asObject(openclawDeliveryMirror)['kind']);
  // A command of the user has the mark also in Pi's format.
  if (isMirror || (excludeFromContext === true && role !== 'bashExecution')) return toUnsentPart(String(role));
  return { sample: value, build: ([line = {}]) => ({ ...line, message: readMessage(line['message']) }) };
}

/** A message with its content as blocks: earlier versions wrote a text, or one block. */
function readMessage(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { role, content } = value;
  if (role !== 'assistant' && role !== 'toolResult') return value;
  if (typeof content === 'string') return { ...value, content: [toTextBlock(content)] };
  return isObject(content) ? { ...value, content: [content] } : value;
}
