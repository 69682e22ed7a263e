import path from 'node:path';
import { canonicalJson } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import type { AgentCopier, CopiedSession, CopyChanges, CopyFacts, CopyStamps, NewCompaction } from '../copy.js';
import {
  encodeRecord,
  findEnd,
  findFirstChange,
  keepRecord,
  listRecordsFrom,
  parseCharacters,
  type WrittenRecord,
} from '../native-records.js';
import { CopyCounts } from './copy-counts.js';
import { toInputPart, toOutput } from './input-parts.js';
import {
  historyBaseOf,
  isRedactedReasoning,
  isRolloutHeader,
  itemPartOf,
  payloadOf,
  toAnswerBlocks,
  toolNameOf,
  withPayload,
} from './items.js';
import { codexMembers } from './record-members.js';

/** Writes copies that `codex resume` opens. Codex looks for them below its own folder only. */
export const codexCopier: AgentCopier = {
  isDerived: () => false,
  sendsStoredImages: false,
  orphanType: null,
  // Tried with 0.171: it pairs calls, leaves out damaged lines, and sends thinking as it is.
  overcomes: ({ rule, cause }) => !STOPPING.has(rule) && cause === undefined,
  findFlaws: (record) => (isRedactedReasoning(payloadOf(record)) ? ['unsigned thinking'] : []),
  members: codexMembers,
  write,
  place({ folder, root, sessionId, timestamp }) {
    const [date = '', time = ''] = timestamp.slice(0, 19).split('T');
    const sessions = /^(.*[/\\]sessions)[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/.exec(folder)?.[1] ?? root;
    return path.join(sessions, ...date.split('-'), `rollout-${date}T${time.replaceAll(':', '-')}-${sessionId}.jsonl`);
  },
  opensInFolder: false,
  resumeCommand: (sessionId, file) => (file === null ? `codex resume ${sessionId}` : null),
};

const STOPPING: ReadonlySet<string> = new Set(['lost-signature', 'usage-above-window']);

function* write(session: CopiedSession, changes: CopyChanges, facts: CopyFacts): Generator<Uint8Array> {
  const { native } = session;
  const counts = new CopyCounts(findFirstChange(session, changes), facts.contextTokens);
  const edits = collectEdits(session, changes);
  const end = findEnd(native, changes.end);
  const numbers = new Ordinals();
  let isFirst = true;
  for (const record of native.all()) {
    if (record.offset > end) break;
    if (isFirst && isRolloutHeader(record.value)) {
      isFirst = false;
      yield encodeRecord(numbers.number({ value: forkHeader(session, record.value, facts), raw: null }));
      continue;
    }
    const edit = edits.get(record.offset);
    if (edit === null) continue;
    const counted = counts.take(edit ?? record.value, record.offset);
    if (counted === null) continue;
    const written = counted === record.value ? keepRecord(native, record) : { value: counted, raw: null };
    yield encodeRecord(numbers.number(written));
  }
  const compaction = changes.compaction ? buildCompaction(session, changes.compaction, facts, counts) : [];
  const added = changes.added.map((text) => buildMessage(text, facts));
  for (const value of [...compaction, ...added]) yield encodeRecord({ value: numbers.append(value), raw: null });
}

function buildMessage(text: string, { timestamp }: CopyStamps): JsonObject {
  const payload = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  return { timestamp, type: 'response_item', payload };
}

/** Numbers the records of a copy without gaps, where the client numbers them: it opens no other file. */
class Ordinals {
  private next: number | null = null;

  number(record: WrittenRecord): WrittenRecord {
    const { ordinal } = record.value;
    if (typeof ordinal !== 'number') return record;
    const own = this.next ?? ordinal;
    this.next = own + 1;
    if (own === ordinal) return record;
    const value = { ...record.value, ordinal: own };
    // The first member of this name is that of the record, unless another one with it comes before.
    const raw = record.raw?.replace(/"ordinal"\s*:\s*\d+/, `"ordinal":${own}`) ?? null;
    const isSame = raw !== null && canonicalJson(parseCharacters(raw)) === canonicalJson(value);
    return { value, raw: isSame ? raw : null };
  }

  append(value: JsonObject): JsonObject {
    const { timestamp, ordinal: _, ...fields } = value;
    const ordinal = this.next;
    if (ordinal === null) return { timestamp, ...fields };
    this.next = ordinal + 1;
    return { timestamp, ordinal, ...fields };
  }
}

/** The header of a fork of a session. Throws a CtxError (refused) for a session whose history begins in another file. */
function forkHeader({ id }: CopiedSession, value: JsonObject, { sessionId, timestamp }: CopyStamps): JsonObject {
  const meta = payloadOf(value);
  if (historyBaseOf(meta)) {
    throw new CtxError('refused', 'the history of this session begins in another file, which a copy cannot continue', {
      hint: 'copy the session that it was forked from',
    });
  }
  const renamed = { ...meta, id: sessionId, timestamp, forked_from_id: id };
  const named = 'session_id' in meta ? { ...renamed, session_id: sessionId } : renamed;
  return isObject(value['payload']) ? { ...value, timestamp, payload: named } : named;
}

/** The new values of records, by their offset; null for a record that the copy lacks. */
type Edits = Map<number, JsonObject | null>;

function collectEdits(session: CopiedSession, changes: CopyChanges): ReadonlyMap<number, JsonObject | null> {
  const { native } = session;
  const edits: Edits = new Map();
  const heads = new Map(session.path.map((head) => [head.index, head]));
  const spansOf = (index: number): readonly LineSpan[] => {
    const head = heads.get(index);
    return head ? native.of(head) : [];
  };
  const dropped = [...changes.dropped, ...changes.undone].flatMap(spansOf);
  for (const { offset } of [...dropped, ...session.later.flatMap((head) => native.of(head))]) edits.set(offset, null);
  for (const [index, content] of changes.replaced) {
    const items = spansOf(index).map((span) => ({ span, value: native.valueAt(span) }));
    const head = heads.get(index);
    if (head?.role === 'assistant') replaceAnswer(edits, items, content);
    else if (items[0]) edits.set(items[0].span.offset, withContent(items[0].value, content));
  }
  return edits;
}

/** A record with its value. */
interface ItemRecord {
  readonly span: LineSpan;
  readonly value: JsonObject;
}

/**
 * Replaces the content of an answer. An item whose blocks stay is kept as it is; one with a block that changed is written
 * with it, and one whose blocks are gone is left out.
 */
function replaceAnswer(edits: Edits, records: readonly ItemRecord[], content: readonly JsonObject[]): void {
  const items = records.filter(({ value }) => itemPartOf(payloadOf(value)) === 'answer');
  let next = 0;
  for (const [at, { span, value }] of items.entries()) {
    const stored = toAnswerBlocks(payloadOf(value));
    const own = content.slice(next, next + stored.length);
    if (stored.length === 0 || canonicalJson(own) === canonicalJson(stored)) {
      next += stored.length;
      continue;
    }
    const left = items.slice(at + 1).reduce((sum, item) => sum + toAnswerBlocks(payloadOf(item.value)).length, 0);
    const isGone = content.length - next <= left;
    edits.set(span.offset, isGone ? null : withAnswer(value, own));
    if (!isGone) next += stored.length;
  }
}

/** An item of the model with other blocks: a call with other arguments, or another text. */
function withAnswer(value: JsonObject, blocks: readonly JsonObject[]): JsonObject {
  const item = payloadOf(value);
  const [block = {}] = blocks;
  if (toolNameOf(item) === null)
    return withPayload(value, { content: blocks.map(({ text }) => ({ type: 'output_text', text })) });
  const { arguments: given } = block;
  if (item['type'] === 'custom_tool_call') return withPayload(value, { input: (given as JsonObject)['input'] });
  return withPayload(value, { arguments: JSON.stringify(given) });
}

/** A message or a result with other content. Throws a CtxError (refused) for a list of found tools, which holds no text. */
function withContent(value: JsonObject, content: readonly JsonObject[]): JsonObject {
  if (payloadOf(value)['type'] === 'tool_search_output') {
    throw new CtxError('refused', 'a list of found tools cannot be shortened in a session of Codex', {
      hint: 'name strategies that leave the results of tool_search as they are',
    });
  }
  const parts = content.map(toInputPart);
  if (itemPartOf(payloadOf(value)) !== 'result') return withPayload(value, { content: parts });
  const said = toOutput(content);
  const { output } = payloadOf(value);
  // An output may say beside its content whether the tool failed.
  return withPayload(value, { output: isObject(output) && 'content' in output ? { ...output, content: said } : said });
}

/** The records of a compaction, as the client writes them. */
function buildCompaction(
  session: CopiedSession,
  compaction: NewCompaction,
  facts: CopyFacts,
  counts: CopyCounts,
): readonly JsonObject[] {
  const estimate = counts.afterCompaction(facts.timestamp);
  return [buildCompacted(session, compaction, facts), ...(estimate ? [estimate] : [])];
}

/** A compaction, as the client records it: the history that goes on is the summary and the items that are kept. */
function buildCompacted(
  { native, path: entries }: CopiedSession,
  { summary, firstKept }: NewCompaction,
  { timestamp }: CopyStamps,
): JsonObject {
  const text = { type: 'message', role: 'user', content: [{ type: 'input_text', text: summary }] };
  const kept = firstKept === null ? [] : listRecordsFrom(native, entries, firstKept).filter(isItem).map(payloadOf);
  return { timestamp, type: 'compacted', payload: { message: summary, replacement_history: [text, ...kept] } };
}

function isItem(value: JsonObject): boolean {
  const type = asString(value['type']);
  return type === 'response_item' || (value['payload'] === undefined && type !== null);
}
