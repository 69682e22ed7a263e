import { contentListOf } from '#analysis/check/provider/message.js';
import { describeToolCall, readCallAt, type ToolCall } from '#analysis/check/provider/tool-call.js';
import { asObject, asString, listObjects } from '#base/json.js';
import { addTo } from '#base/maps.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { NewResult } from '#session/agents/copy-changes.js';
import { messageOf } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import type { SessionToCopy } from '../copy/session-to-copy.js';
import { buildCopyRepair, type CopyRepair } from './copy-repair.js';
import { MISSING_RESULT } from './repair-entries.js';

/** The pairing of the calls and the results of a session, by the index of the entry. */
export interface CallRepairs {
  /** The results that calls get. */
  readonly answered: ReadonlyMap<number, readonly NewResult[]>;
  /** The calls that go, since an earlier answer used their ids. */
  readonly doubled: ReadonlyMap<number, ReadonlySet<string>>;
  /** The results that no call waits for. */
  readonly orphans: readonly number[];
  readonly repairs: readonly CopyRepair[];
}

const NOTHING: CallRepairs = { answered: new Map(), doubled: new Map(), orphans: [], repairs: [] };

/**
 * Finds the calls without a result and the results without a call of a context. The client may leave both out, and edits of
 * the agent's entries say so: those are taken out of the session, so that its context has the calls again.
 */
export function findCallRepairs(session: SessionToCopy): CallRepairs {
  const { orphanType } = session.copier.client;
  if (orphanType === null) return NOTHING;
  const { heads } = session.tree;
  const path = listContextPath(session);
  const results = new Set(path.flatMap((head) => (head.role === 'toolResult' ? readCallId(session, head) : [])));
  const end = path.findLastIndex(
    ({ role, type }) => role === 'user' || role === 'assistant' || type === 'custom_message',
  );
  const answered = new Map<number, NewResult[]>();
  const doubled = new Map<number, Set<string>>();
  const orphans: number[] = [];
  const repairs: CopyRepair[] = [];
  const used = new Set<string>();
  for (const [at, head] of path.entries()) {
    if (head.type === 'custom' && session.entry(head).customType === orphanType) {
      orphans.push(head.index);
      const fault = { rule: 'result-without-call' };
      repairs.push(buildCopyRepair(head, fault, { why: 'no call waits for this result', done: 'left out' }));
    }
    const target = head.type === 'context_edit' ? heads.at(heads.targetAt(head.index)) : undefined;
    if (target?.role === 'assistant') heads.setType(head.index, 'custom');
    for (const call of listCalls(session, head)) {
      if (used.has(call.id)) doubled.set(head.index, (doubled.get(head.index) ?? new Set()).add(call.id));
      else if (!results.has(call.id)) {
        addTo(answered, head.index, { callId: call.id, text: MISSING_RESULT });
        const fault = { rule: at < end ? 'call-without-result' : 'open-call' };
        const why = `${describeToolCall(call)} has no result`;
        repairs.push(buildCopyRepair(head, fault, { why, done: 'a result added that says so' }));
      }
      used.add(call.id);
    }
  }
  return { answered, doubled, orphans, repairs };
}

/**
 * The entries of the active path whose messages can be in the context: from the first one that the last compaction keeps,
 * or from the last transform that replaces all messages.
 */
function listContextPath(session: SessionToCopy): readonly Head[] {
  const path = activePath(session.tree);
  const at = path.findLastIndex((head) => head.type === 'compaction' || replacesMessages(session, head));
  const last = path[at];
  if (!last) return path;
  if (last.type !== 'compaction') return path.slice(at);
  const kept = session.tree.heads.find(asString(session.entry(last).firstKeptEntryId));
  const first = path.findIndex(({ index }) => index === kept?.index);
  return path.slice(first < 0 ? at : first);
}

/** Whether an entry gives the context another list of messages. */
function replacesMessages(session: SessionToCopy, head: Head): boolean {
  if (head.type !== 'context_transform') return false;
  return listObjects(session.entry(head).patch).some(({ op }) => op === 'messages_cached_replace');
}

function readCallId(session: SessionToCopy, head: Head): readonly string[] {
  const id = asString(asObject(session.entry(head).message).toolCallId);
  return id === null ? [] : [id];
}

function listCalls(session: SessionToCopy, head: Head): readonly ToolCall[] {
  if (head.role !== 'assistant') return [];
  const content = contentListOf(messageOf(session.entry(head)) ?? {});
  return content.flatMap((_block, at) => readCallAt(content, at) ?? []);
}

/** A context with the results that calls get, each after the other results of its answer. */
export function insertResults(
  session: SessionToCopy,
  context: ContextEnvelope,
  answered: CallRepairs['answered'],
): ContextEnvelope {
  const cached = [...context.messages.cached];
  const provenance = [...context.meta.provenance];
  for (const [index, results] of answered) {
    const answer = session.tree.heads.at(index);
    const at = provenance.findIndex(({ entryId }) => entryId === formatId(answer?.id));
    const message = cached[at];
    const from = provenance[at];
    if (!message || !from) continue;
    let end = at + 1;
    while (cached[end]?.role === 'toolResult') end += 1;
    cached.splice(end, 0, ...results.map((result) => buildResult(message, result)));
    provenance.splice(end, 0, ...results.map(() => from));
  }
  return { ...context, messages: { ...context.messages, cached }, meta: { ...context.meta, provenance } };
}

function buildResult(answer: LlmMessage, { callId, text }: NewResult): LlmMessage {
  const content = contentListOf(answer);
  const call = content.map((_block, at) => readCallAt(content, at)).find((each) => each?.id === callId);
  return {
    role: 'toolResult',
    toolCallId: callId,
    toolName: call?.name ?? '',
    content: [{ type: 'text', text }],
    isError: true,
    timestamp: answer.timestamp,
  };
}
