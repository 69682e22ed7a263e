import { type PairFault, ToolPairs } from '#analysis/check/provider/tool-pairs.js';
import type { JsonObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { toLenient } from '#context/lenient.js';
import { toOpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { Provenance } from '#context/replay/envelope.js';
import { messageOf } from '#session/entry.js';
import type { Head, RawId } from '#session/heads/head.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { activePath } from '#session/tree/tree.js';
import { type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { changeMembers } from '../bytes/member-edits.js';
import { StableIds } from '../plan/stable-ids.js';
import { formatOmittingEdit, formatResultEntry, type MissingResult } from './repair-entries.js';

/**
 * Adds a placeholder result to tool calls of the context without one, and hides results without a call. Entries of
 * version 1 have no ids to name, and what a transform has written is left alone.
 */
export async function repairPairs(source: ByteSource, file: string): Promise<EditedFile> {
  const session = readSession(source, file);
  const faults = session.header.version < 2 ? [] : await findPairFaults(session);
  const editor = new FileEditor(source);
  if (faults.length === 0) return editor.finish();
  const { heads, leaf } = session.tree;
  const ids = new StableIds(heads, session.header.id);
  const pairing: Pairing = { session, source, editor, ids, answered: new Set(), leafId: leaf?.id };
  const edits = [...listAnswers(pairing, faults), ...listOmissions(pairing, faults)];
  for (const { apply } of edits.toSorted((a, b) => a.offset - b.offset)) apply();
  return editor.finish();
}

async function findPairFaults(session: Session): Promise<readonly PairFault[]> {
  const { messages, meta } = buildEnvelope(toLenient(await toOpenSession(session)), session.tree.leaf);
  const pairs = new ToolPairs(session);
  const faults: PairFault[] = [];
  let from: Provenance | undefined;
  for (const [at, message] of messages.cached.entries()) {
    from = meta.provenance[at];
    if (from) for (const fault of pairs.take({ message, from })) faults.push(fault);
  }
  for (const fault of pairs.end()) faults.push(fault);
  // Whatever comes next will find the last calls without their results.
  if (from) for (const fault of pairs.take({ message: { role: 'user' }, from })) faults.push(fault);
  return faults.filter((fault) => fault.from.origin === 'entry' || fault.from.origin === 'edit');
}

interface Pairing {
  readonly session: Session;
  readonly source: ByteSource;
  readonly editor: FileEditor;
  readonly ids: StableIds;
  /** The ids of calls that were given a result. */
  readonly answered: Set<string>;
  /** The id of the last entry of the active path: entries added at its end follow it. */
  leafId: RawId;
}

/** An edit to apply once the file is copied up to `offset`. */
interface PendingEdit {
  readonly offset: number;
  apply(): void;
}

type Unanswered = Extract<PairFault, { readonly kind: 'unanswered' }>;

/** Puts results directly after the answers that lack them. The entry after such an answer then follows its result. */
function* listAnswers(pairing: Pairing, faults: readonly PairFault[]): Generator<PendingEdit> {
  const { session } = pairing;
  const { tree } = session;
  const path = activePath(tree);
  // A transform refers to earlier messages by number, or has replaced them.
  const lastTransform = path.findLastIndex(({ type }) => type === 'context_transform');
  const late = findLateResults(session, faults);
  const places = new Map(path.map(({ line }, at) => [line, at]));
  for (const [line, calls] of groupByLine(faults)) {
    const at = places.get(line) ?? -1;
    const head = path[at];
    if (!head || at < lastTransform) continue;
    yield* answerCalls(pairing, { head, next: path[at + 1], calls, late });
  }
}

function groupByLine(faults: readonly PairFault[]): ReadonlyMap<number, readonly Unanswered[]> {
  const lines = new Map<number, Unanswered[]>();
  for (const fault of faults) {
    if (fault.kind === 'unanswered') addTo(lines, fault.from.line, fault);
  }
  return lines;
}

/** Results that are too far after their calls, whose content is repeated in the right place. */
function findLateResults(session: Session, faults: readonly PairFault[]): ReadonlyMap<string, JsonObject> {
  const late = new Map<string, JsonObject>();
  for (const fault of faults) {
    if (fault.kind !== 'late' || fault.callId === null) continue;
    const head = findHeadAtLine(session, fault.from.line);
    const message = head && messageOf(session.entry(head));
    if (message) late.set(fault.callId, message);
  }
  return late;
}

interface AnswerRequest {
  readonly head: Head;
  /** The entry after it on the path. */
  readonly next: Head | undefined;
  readonly calls: readonly Unanswered[];
  readonly late: ReadonlyMap<string, JsonObject>;
}

function* answerCalls(pairing: Pairing, { head, next, calls, late }: AnswerRequest): Generator<PendingEdit> {
  const { source, editor, ids, session } = pairing;
  const { timestamp } = session.entry(head);
  let parentId = head.id;
  const answers = calls.map(({ call }): MissingResult => {
    const answer = { id: ids.next(head.line), parentId, timestamp, call, lateResult: late.get(call.id) ?? null };
    parentId = answer.id;
    return answer;
  });
  for (const { call } of calls) pairing.answered.add(call.id);
  if (!next) pairing.leafId = parentId;
  const end = head.offset + head.length;
  yield {
    offset: end,
    apply() {
      editor.keepTo(end);
      for (const answer of answers) {
        editor.add(`${formatResultEntry(answer)}\n`);
        const { call, lateResult, id } = answer;
        const result = `the result of the call ${JSON.stringify(call.id)}`;
        const what = lateResult ? `repeats ${result}` : `states that ${result} is missing`;
        editor.note('call-without-result', head, `${JSON.stringify(id)} ${what}`);
      }
    },
  };
  if (!next) return;
  yield {
    offset: next.offset,
    apply() {
      changeMembers(editor, { source, at: next, changes: { parentId } });
      editor.note('call-without-result', next, `now follows ${JSON.stringify(parentId)}`);
    },
  };
}

/**
 * Edits at the end of the file that omit results from the context, except late ones that could not be repeated in the
 * right place.
 */
function* listOmissions(pairing: Pairing, faults: readonly PairFault[]): Generator<PendingEdit> {
  const { session, editor, ids } = pairing;
  const { heads, leaf } = session.tree;
  const { timestamp } = leaf ? session.entry(leaf) : {};
  const isHidden = new Set<number>();
  for (const fault of faults) {
    const { kind, from } = fault;
    const head = findHeadAtLine(session, from.line);
    if (kind === 'unanswered' || kind === 'same-id' || !head || isHidden.has(head.index)) continue;
    if (kind === 'late' && !pairing.answered.has(fault.callId ?? '')) continue;
    isHidden.add(head.index);
    const edit = { id: ids.next(heads.length), parentId: pairing.leafId, timestamp, targetId: head.id };
    pairing.leafId = edit.id;
    yield {
      offset: Infinity,
      apply() {
        editor.keepTo(session.scan.size);
        editor.add(`${formatOmittingEdit(edit)}\n`);
        editor.note(findRule(kind), head, `${JSON.stringify(edit.id)} omits the result from the context`);
      },
    };
  }
}

/** The rule that finds it. */
function findRule(kind: Exclude<PairFault['kind'], 'unanswered' | 'same-id'>): string {
  switch (kind) {
    case 'uncalled':
    case 'failed':
      return 'result-without-call';
    case 'parted':
      return 'compaction-in-tool-pair';
    case 'early':
    case 'late':
      return 'result-out-of-order';
    case 'again':
      return 'duplicate-result';
  }
}
