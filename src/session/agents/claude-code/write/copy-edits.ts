import { canonicalJson } from '#base/canonical-json.js';
import { asObject, asString, isObject, type JsonObject, listObjects, listTexts } from '#base/json.js';
import { addTo } from '#base/maps.js';
import type { Head } from '../../../heads/head.js';
import type { LineSpan } from '../../../scan/lines.js';
import type { CopiedSession, CopyStamps } from '../../copier.js';
import { type CopyChanges, findFirstChange, type NewResult } from '../../copy-changes.js';
import { type AgentRecord } from '../../native-records.js';
import { replaceMember, type WrittenRecord } from '../../written-records.js';
import { contentOf, listContentBlocks, toUserContent } from '../content/content.js';
import { isResultBlock } from '../records/fields.js';
import { commonFields } from './common-fields.js';
import { toNativeBlock, toPlainContent } from './native-blocks.js';

/** The changes of the message of one record. */
interface MessageEdit {
  /** The new content of results, by their call; null removes one. */
  readonly results: Map<string, readonly JsonObject[] | null>;
  /** The places among the results of those that are removed, since no call waits for them. */
  readonly orphans: Set<number>;
  /** The new blocks beside results, in the form of the API; null removes them, undefined keeps them. */
  rest: readonly unknown[] | null | undefined;
}

/** The changes of a copy, by record. */
export class RecordEdits {
  /** By the offset of the record. */
  private readonly messages = new Map<number, MessageEdit>();
  /** The offsets of the records that the copy lacks. */
  private readonly removed = new Set<number>();
  /** The calls whose results have another content. */
  private readonly changedCalls = new Set<string>();
  /** The parent of each record that the copy lacks, by uuid. */
  private readonly parents = new Map<string, string | null>();
  /** New records, by the offset of the one that follows them. */
  private readonly inserted = new Map<number, readonly JsonObject[]>();
  /** The records that follow new ones, with their new parents. */
  private readonly moved = new Map<string, string>();
  /** New records that nothing follows. */
  readonly atEnd: JsonObject[] = [];
  /** Where the first change is. */
  private readonly firstChange: number;

  constructor(
    private readonly session: CopiedSession,
    changes: CopyChanges,
    private readonly stamps: CopyStamps,
  ) {
    const heads = new Map(session.path.map((head) => [head.index, head]));
    const headAt = (index: number): Head | undefined => heads.get(index);
    for (const index of changes.undone) this.undo(headAt(index));
    for (const index of changes.dropped) this.drop(headAt(index));
    for (const head of session.later) this.drop(head);
    for (const [index, content] of changes.replaced) this.replace(headAt(index), content);
    for (const [index, results] of changes.answered) this.answer(headAt(index), results);
    this.firstChange = findFirstChange(session.native, session.path, changes);
  }

  /** The new records directly before a record. */
  before({ offset }: AgentRecord): readonly JsonObject[] {
    return this.inserted.get(offset) ?? [];
  }

  /** Whether the copy lacks a record. */
  lacks(uuid: string): boolean {
    return this.parents.has(uuid);
  }

  /** Returns a record as the copy has it; null if it lacks it. `kept`: the record as it is stored. */
  apply(record: AgentRecord, kept: () => WrittenRecord): WrittenRecord | null {
    if (this.removed.has(record.offset)) return null;
    if (record.value['type'] === 'content-replacement') return this.withoutOwn(record.value, kept);
    const edit = this.messages.get(record.offset);
    const edited: WrittenRecord = edit ? { value: editMessage(record.value, edit), raw: null } : kept();
    const linked = this.relink(this.withoutRemoved(edited));
    return record.offset < this.firstChange ? linked : withoutUsage(linked);
  }

  /** A list of texts that are sent instead of results, without those of the results that the copy changes. */
  private withoutOwn(value: JsonObject, kept: () => WrittenRecord): WrittenRecord {
    const all = listObjects(value['replacements']);
    const replacements = all.filter(({ toolUseId }) => !this.changedCalls.has(asString(toolUseId) ?? ''));
    return replacements.length === all.length ? kept() : { value: { ...value, replacements }, raw: null };
  }

  /** Removes the boundary and the summary of a compaction: what follows them follows what was before. */
  private undo(head: Head | undefined): void {
    const before = head ? this.recordBefore(head) : null;
    for (const span of this.recordsOf(head)) this.remove(span, this.session.native.valueAt(span), before);
  }

  /** The last record of the conversation before an entry. The one that a boundary names may not be in the file. */
  private recordBefore(head: Head): string | null {
    const { path, native } = this.session;
    for (let at = path.indexOf(head) - 1; at >= 0; at -= 1) {
      const before = path[at];
      const values = before ? native.of(before).map((span) => native.valueAt(span)) : [];
      const uuid = values.findLast(({ type }) => type !== 'queue-operation')?.['uuid'];
      if (typeof uuid === 'string') return uuid;
    }
    return null;
  }

  private drop(head: Head | undefined): void {
    if (head?.type === 'custom') {
      this.dropOrphan(head);
      return;
    }
    const call = head ? this.callOf(head) : null;
    for (const span of this.recordsOf(head)) {
      const value = this.session.native.valueAt(span);
      const edit = this.editOf(span);
      if (call !== null) edit.results.set(call, null);
      else if (value['type'] === 'user') edit.rest = null;
      else this.remove(span, value, asString(value['parentUuid']));
      if (value['type'] === 'user' && listContentBlocks(editedContent(value, edit)).length === 0)
        this.remove(span, value, asString(value['parentUuid']));
    }
  }

  /** Removes a result that no call waits for. Of equal results in one record, the later ones are those. */
  private dropOrphan(head: Head): void {
    const [span] = this.recordsOf(head);
    if (!span) return;
    const value = this.session.native.valueAt(span);
    const edit = this.editOf(span);
    const wanted = canonicalJson(this.session.entry(head)['data']);
    const results = listObjects(contentOf(value)).filter(isResultBlock);
    const place = results.findLastIndex((block, at) => !edit.orphans.has(at) && canonicalJson(block) === wanted);
    edit.orphans.add(place);
    if (listContentBlocks(editedContent(value, edit)).length === 0)
      this.remove(span, value, asString(value['parentUuid']));
  }

  /** Puts results between those of an answer and the record after them. */
  private answer(head: Head | undefined, results: readonly NewResult[]): void {
    const [own] = this.recordsOf(head);
    if (!head || !own) return;
    const next = this.recordAfterResults(head);
    const model = this.session.native.valueAt(next ?? own);
    const uuid = this.stamps.newId();
    const parentUuid = next ? asString(model['parentUuid']) : this.lastRecord();
    const record = {
      parentUuid: this.nearestKept(parentUuid),
      isSidechain: false,
      type: 'user',
      message: { role: 'user', content: results.map(toResultBlock) },
      uuid,
      timestamp: this.session.native.valueAt(own)['timestamp'] ?? this.stamps.timestamp,
      ...commonFields(model),
      sessionId: this.stamps.sessionId,
    };
    if (!next) {
      this.atEnd.push(record);
      return;
    }
    this.moved.set(asString(model['uuid']) ?? '', uuid);
    this.inserted.set(next.offset, [record]);
  }

  /** The first record of the conversation after an answer that is neither the answer's own nor a result of it. */
  private recordAfterResults(answer: Head): LineSpan | null {
    const { path, native } = this.session;
    const own = new Set(this.recordsOf(answer).map(({ offset }) => offset));
    for (const head of path.slice(path.indexOf(answer) + 1)) {
      if (head.role === 'toolResult') continue;
      for (const span of native.of(head)) {
        const { uuid, type } = native.valueAt(span);
        const isOther = !own.has(span.offset) && !this.removed.has(span.offset);
        if (isOther && typeof uuid === 'string' && type !== 'system') return span;
      }
    }
    return null;
  }

  /** The last record of the conversation. */
  private lastRecord(): string | null {
    const { path, native } = this.session;
    const values = path.toReversed().flatMap((head) => native.of(head).toReversed().map(native.valueAt));
    return values.flatMap(({ uuid }) => asString(uuid) ?? [])[0] ?? null;
  }

  private replace(head: Head | undefined, content: readonly JsonObject[]): void {
    const [first, ...others] = this.recordsOf(head);
    if (!head || !first) return;
    const call = this.callOf(head);
    if (call !== null) {
      this.changedCalls.add(call);
      this.editOf(first).results.set(call, content);
    } else if (head.role === 'assistant') this.replaceAnswer([first, ...others], content);
    else this.editOf(first).rest = keepBlocks(content, contentOf(this.session.native.valueAt(first)));
  }

  /** Spreads the content of an answer over its records: a block that stays remains in its record. */
  private replaceAnswer(spans: readonly LineSpan[], content: readonly JsonObject[]): void {
    const { native } = this.session;
    const values = spans.map((span) => native.valueAt(span));
    const stored = values.flatMap((value, record) =>
      listContentBlocks(contentOf(value)).map((block) => ({ record, block, json: piJson(block) })),
    );
    const blocks: unknown[][] = spans.map(() => []);
    let next = 0;
    let record = 0;
    for (const block of content) {
      const json = canonicalJson(block);
      const found = stored.findIndex((one, at) => at >= next && one.json === json);
      const same = stored[found];
      if (same) {
        next = found + 1;
        record = same.record;
      }
      blocks[record]?.push(same ? same.block : toNativeBlock(block));
    }
    for (const [at, span] of spans.entries()) {
      const own = blocks[at] ?? [];
      const value = values[at] ?? {};
      if (own.length === 0) this.remove(span, value, asString(value['parentUuid']));
      else this.editOf(span).rest = own;
    }
  }

  private recordsOf(head: Head | undefined): readonly LineSpan[] {
    return head ? this.session.native.of(head) : [];
  }

  /** The call whose result an entry is; null for any other entry. */
  private callOf(head: Head): string | null {
    if (head.role !== 'toolResult') return null;
    return asString(asObject(this.session.entry(head)['message'])['toolCallId']);
  }

  private editOf({ offset }: LineSpan): MessageEdit {
    const edit = this.messages.get(offset) ?? { results: new Map(), orphans: new Set(), rest: undefined };
    this.messages.set(offset, edit);
    return edit;
  }

  private remove({ offset }: LineSpan, value: JsonObject, parent: string | null): void {
    this.removed.add(offset);
    const uuid = asString(value['uuid']);
    if (uuid !== null) this.parents.set(uuid, parent);
  }

  /** The nearest record before one that the copy has. */
  private nearestKept(uuid: string | null): string | null {
    let next = uuid;
    for (let steps = 0; next !== null && this.parents.has(next) && steps <= this.parents.size; steps += 1)
      next = this.parents.get(next) ?? null;
    return next;
  }

  /** Lets a record that names one that is gone name the one before it. */
  private relink(record: WrittenRecord): WrittenRecord {
    const moved = this.moved.get(asString(record.value['uuid']) ?? '');
    const parent = asString(record.value['parentUuid']);
    let linked = moved === undefined || parent === null ? record : replaceMember(record, 'parentUuid', parent, moved);
    for (const name of LINKS) {
      const uuid = asString(record.value[name]);
      if (uuid !== null && this.parents.has(uuid)) linked = replaceMember(linked, name, uuid, this.nearestKept(uuid));
    }
    return linked;
  }

  /** Takes records that are gone from the list of those that a compaction keeps. */
  private withoutRemoved(record: WrittenRecord): WrittenRecord {
    const metadata = asObject(record.value['compactMetadata']);
    const { preservedMessages, preservedSegment } = metadata;
    const uuids = listTexts(asObject(preservedMessages)['uuids']);
    const named = [...uuids, ...Object.values(asObject(preservedSegment))];
    if (!named.some((uuid) => this.parents.has(String(uuid)))) return record;
    const isKept = (uuid: string): boolean => !this.parents.has(uuid);
    // Version 2.1.237 opens no session whose boundary names messages without these lists.
    const { anchorUuid } = asObject(preservedSegment);
    const listed = preservedMessages ?? { anchorUuid, uuids: [], allUuids: [] };
    const lists = Object.fromEntries(
      Object.entries(asObject(listed)).map(([name, value]) => [
        name,
        Array.isArray(value) ? listTexts(value).filter(isKept) : value,
      ]),
    );
    const { preservedSegment: _, ...others } = metadata;
    return { value: { ...record.value, compactMetadata: { ...others, preservedMessages: lists } }, raw: null };
  }
}

/**
 * An answer without its usage, which is that of another context: the client would believe that the copy is as large, and
 * compact it. It estimates the tokens of an answer without usage.
 */
function withoutUsage(record: WrittenRecord): WrittenRecord {
  const { type, isSidechain, message } = record.value;
  if (type !== 'assistant' || isSidechain === true || !isObject(message) || !('usage' in message)) return record;
  const { usage: _, ...others } = message;
  return { value: { ...record.value, message: others }, raw: null };
}

/** The members of a record that name another one. */
const LINKS = ['parentUuid', 'logicalParentUuid', 'leafUuid'] as const;

function editMessage(value: JsonObject, edit: MessageEdit): JsonObject {
  return { ...value, message: { ...asObject(value['message']), content: editedContent(value, edit) } };
}

/** The content of a message after an edit: the rest follows the results. */
function editedContent(value: JsonObject, { results, orphans, rest }: MessageEdit): unknown {
  const content = contentOf(value);
  if (typeof content === 'string') {
    if (rest === null) return [];
    return rest === undefined ? content : toPlainContent(rest);
  }
  const blocks = listObjects(content);
  let place = -1;
  const kept = blocks.flatMap((block) => {
    if (!isResultBlock(block)) return rest === undefined ? [block] : [];
    place += 1;
    if (orphans.has(place)) return [];
    const replaced = results.get(asString(block['tool_use_id']) ?? '');
    if (replaced === null) return [];
    if (replaced === undefined) return [block];
    return [{ ...block, content: toPlainContent(keepBlocks(replaced, block['content'])) }];
  });
  return rest ? [...kept, ...rest] : kept;
}

/** A new content as blocks of the API. A block that stays is kept as it is stored, such as a document. */
function keepBlocks(content: readonly JsonObject[], before: unknown): readonly unknown[] {
  const stored = new Map<string, JsonObject[]>();
  for (const block of listObjects(before)) addTo(stored, piJson(block), block);
  return content.map((block) => stored.get(canonicalJson(block))?.shift() ?? toNativeBlock(block));
}

function toResultBlock({ callId, text }: NewResult): JsonObject {
  return { type: 'tool_result', tool_use_id: callId, content: text, is_error: true };
}

/** A block of the API as canonical JSON of what `ctx` reads from it. */
function piJson(block: unknown): string {
  const [read] = toUserContent([block]) as readonly JsonObject[];
  return canonicalJson(read ?? null);
}
