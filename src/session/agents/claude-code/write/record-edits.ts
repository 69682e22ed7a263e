import { canonicalJson } from '#base/canonical-json.js';
import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { Head } from '../../../heads/head.js';
import type { LineSpan } from '../../../scan/lines.js';
import type { CopiedSession, CopyStamps } from '../../copier.js';
import { type CopyChanges, findFirstChange, type NewResult } from '../../copy-changes.js';
import { type AgentRecord } from '../../native-records.js';
import { type WrittenRecord } from '../../written-records.js';
import { contentOf } from '../content/content.js';
import { isResultBlock } from '../records/fields.js';
import { CopyLinks } from './copy-links.js';
import { editMessage, isEmptied, type MessageEdit, spreadContent, toStoredBlocks } from './message-edit.js';
import { commonFields } from './new-records.js';

/** The changes of a copy, by record. */
export class RecordEdits {
  /** The edits of messages, by the offset of their record. */
  private readonly messages = new Map<number, MessageEdit>();
  /** The offsets of the records that the copy lacks. */
  private readonly removed = new Set<number>();
  private readonly links = new CopyLinks();
  /** The calls whose results have another content. */
  private readonly changedCalls = new Set<string>();
  /** New records, by the offset of the one that follows them. */
  private readonly inserted = new Map<number, readonly JsonObject[]>();
  /** New records that nothing follows. */
  readonly atEnd: JsonObject[] = [];
  /** The offset in bytes of the first change. */
  private readonly firstChange: number;

  constructor(
    private readonly session: CopiedSession,
    changes: CopyChanges,
    private readonly stamps: CopyStamps,
  ) {
    const heads = new Map(session.path.map((head) => [head.index, head]));
    const listHeads = (indexes: Iterable<number>): readonly Head[] =>
      [...indexes].flatMap((index) => heads.get(index) ?? []);
    for (const head of listHeads(changes.undone)) this.undo(head);
    for (const head of [...listHeads(changes.dropped), ...session.later]) this.drop(head);
    for (const head of listHeads(changes.replaced.keys())) this.replace(head, changes.replaced.get(head.index) ?? []);
    for (const head of listHeads(changes.answered.keys())) this.answer(head, changes.answered.get(head.index) ?? []);
    this.firstChange = findFirstChange(session.native, session.path, changes);
  }

  /** The new records directly before a record. */
  before({ offset }: AgentRecord): readonly JsonObject[] {
    return this.inserted.get(offset) ?? [];
  }

  /** Whether the copy lacks a record. */
  lacks(uuid: string): boolean {
    return this.links.lacks(uuid);
  }

  /** Returns a record as the copy has it; null if the copy lacks it. `kept`: the record as it is stored. */
  apply(record: AgentRecord, kept: () => WrittenRecord): WrittenRecord | null {
    if (this.removed.has(record.offset)) return null;
    if (record.value['type'] === 'content-replacement') return this.withoutChanged(record.value, kept);
    const edit = this.messages.get(record.offset);
    const edited: WrittenRecord = edit ? { value: editMessage(record.value, edit), raw: null } : kept();
    const linked = this.links.relink(edited);
    return record.offset < this.firstChange ? linked : withoutUsage(linked);
  }

  /** Removes the results that the copy changes from a list of texts that are sent instead of results. */
  private withoutChanged(value: JsonObject, kept: () => WrittenRecord): WrittenRecord {
    const all = listObjects(value['replacements']);
    const replacements = all.filter(({ toolUseId }) => !this.changedCalls.has(asString(toolUseId) ?? ''));
    return replacements.length === all.length ? kept() : { value: { ...value, replacements }, raw: null };
  }

  /** Removes the boundary and the summary of a compaction: what follows them follows what was before. */
  private undo(head: Head): void {
    const { native } = this.session;
    const before = this.findRecordBefore(head);
    for (const span of native.of(head)) this.remove(span, native.valueAt(span), before);
  }

  /** The last record of the conversation before an entry. The one that a boundary names may not be in the file. */
  private findRecordBefore(head: Head): string | null {
    const { path, native } = this.session;
    for (const before of path.slice(0, path.indexOf(head)).toReversed()) {
      const values = native.of(before).map((span) => native.valueAt(span));
      const uuid = values.findLast(({ type }) => type !== 'queue-operation')?.['uuid'];
      if (typeof uuid === 'string') return uuid;
    }
    return null;
  }

  private drop(head: Head): void {
    if (head.type === 'custom') {
      this.dropOrphan(head);
      return;
    }
    const { native } = this.session;
    const call = this.findCall(head);
    for (const span of native.of(head)) {
      const value = native.valueAt(span);
      const isOfUser = value['type'] === 'user';
      const edit = this.editOf(span);
      if (call !== null) edit.results.set(call, null);
      else if (isOfUser) edit.rest = null;
      else this.remove(span, value);
      if (isOfUser && isEmptied(value, edit)) this.remove(span, value);
    }
  }

  /** Removes a result that no call waits for. Of equal results in one record, the later ones are those. */
  private dropOrphan(head: Head): void {
    const { native } = this.session;
    const [span] = native.of(head);
    if (!span) return;
    const value = native.valueAt(span);
    const edit = this.editOf(span);
    const wanted = canonicalJson(this.session.entry(head)['data']);
    const results = listObjects(contentOf(value)).filter(isResultBlock);
    const place = results.findLastIndex((block, at) => !edit.orphans.has(at) && canonicalJson(block) === wanted);
    edit.orphans.add(place);
    if (isEmptied(value, edit)) this.remove(span, value);
  }

  private replace(head: Head, content: readonly JsonObject[]): void {
    const { native } = this.session;
    const call = this.findCall(head);
    const spans = native.of(head);
    const [first] = spans;
    if (!first) return;
    if (call !== null) {
      this.changedCalls.add(call);
      this.editOf(first).results.set(call, content);
    } else if (head.role === 'assistant') this.replaceAnswer(spans, content);
    else this.editOf(first).rest = toStoredBlocks(content, contentOf(native.valueAt(first)));
  }

  private replaceAnswer(spans: readonly LineSpan[], content: readonly JsonObject[]): void {
    const { native } = this.session;
    const values = spans.map((span) => native.valueAt(span));
    const spread = spreadContent(content, values);
    for (const [at, span] of spans.entries()) {
      const blocks = spread[at] ?? [];
      if (blocks.length === 0) this.remove(span, values[at] ?? {});
      else this.editOf(span).rest = blocks;
    }
  }

  /** Puts results between those of an answer and the record after them. */
  private answer(head: Head, results: readonly NewResult[]): void {
    const { native } = this.session;
    const [own] = native.of(head);
    if (!own) return;
    const next = this.findRecordAfterResults(head);
    const model = native.valueAt(next ?? own);
    const uuid = this.stamps.newId();
    const parentUuid = next ? asString(model['parentUuid']) : this.findLastRecord();
    const record = {
      parentUuid: this.links.findKept(parentUuid),
      isSidechain: false,
      type: 'user',
      message: { role: 'user', content: results.map(toResultBlock) },
      uuid,
      timestamp: native.valueAt(own)['timestamp'] ?? this.stamps.timestamp,
      ...commonFields(model),
      sessionId: this.stamps.sessionId,
    };
    if (!next) {
      this.atEnd.push(record);
      return;
    }
    this.links.move(asString(model['uuid']) ?? '', uuid);
    this.inserted.set(next.offset, [record]);
  }

  /** The first record of the conversation after an answer that is neither the answer's own nor a result of it. */
  private findRecordAfterResults(answer: Head): LineSpan | null {
    const { path, native } = this.session;
    const own = new Set(native.of(answer).map(({ offset }) => offset));
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
  private findLastRecord(): string | null {
    const { path, native } = this.session;
    for (const head of path.toReversed()) {
      const { uuid } =
        native
          .of(head)
          .map(native.valueAt)
          .findLast((value) => typeof value['uuid'] === 'string') ?? {};
      if (typeof uuid === 'string') return uuid;
    }
    return null;
  }

  /** The call whose result an entry is; null for any other entry. */
  private findCall(head: Head): string | null {
    if (head.role !== 'toolResult') return null;
    return asString(asObject(this.session.entry(head)['message'])['toolCallId']);
  }

  private editOf({ offset }: LineSpan): MessageEdit {
    const edit = this.messages.get(offset) ?? { results: new Map(), orphans: new Set(), rest: undefined };
    this.messages.set(offset, edit);
    return edit;
  }

  /** Takes a record out of the copy: what follows it follows `parent`, by default its own. */
  private remove({ offset }: LineSpan, value: JsonObject, parent = asString(value['parentUuid'])): void {
    this.removed.add(offset);
    const uuid = asString(value['uuid']);
    if (uuid !== null) this.links.remove(uuid, parent);
  }
}

/**
 * Removes the usage of an answer, which counts the original context: the client would believe that the copy is just as
 * large, and compact it. It estimates the tokens of an answer without usage.
 */
function withoutUsage(record: WrittenRecord): WrittenRecord {
  const { type, isSidechain, message } = record.value;
  if (type !== 'assistant' || isSidechain === true || !isObject(message) || !('usage' in message)) return record;
  const { usage: _, ...others } = message;
  return { value: { ...record.value, message: others }, raw: null };
}

function toResultBlock({ callId, text }: NewResult): JsonObject {
  return { type: 'tool_result', tool_use_id: callId, content: text, is_error: true };
}
