import { asString } from '#base/json.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { SentMessage } from '#context/replay/message-list.js';
import type { RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { type CallRemoval, CallRemovals } from './call-removals.js';
import { contentListOf } from './message.js';
import { readCallAt, type ToolCall } from './tool-call.js';

/** A fault in the pairing of tool calls and results, in the messages that Pi sends after its own repairs. */
export type PairFault =
  /** A call has no result before the next message: Pi adds an error result there. */
  | { readonly kind: 'unanswered'; readonly from: Provenance; readonly call: ToolCall }
  /** A result whose call is not in the request. `failed`: the call is in an answer that Pi does not send. */
  | ResultFault<'uncalled'>
  | ResultFault<'failed'>
  /** Its call is on the path, but an entry removed it from the context. */
  | (ResultFault<'parted'> & { readonly by: CallRemoval })
  /** Its call follows later. */
  | ResultFault<'early'>
  /** Another message is between the call and the result. */
  | ResultFault<'late'>
  /** Its call already has a result. */
  | ResultFault<'again'>
  /** An earlier call of the request has the same id. */
  | (Omit<ResultFault<'same-id'>, 'callId'> & { readonly call: ToolCall; readonly isSameAnswer: boolean });

interface ResultFault<Kind> {
  readonly kind: Kind;
  readonly from: Provenance;
  readonly callId: string | null;
  readonly related: readonly RawId[];
}

const NONE: readonly PairFault[] = [];

/**
 * Follows the messages of a request like Pi's `transformMessages`: failed answers are omitted, a call without a
 * result gets one before the next user message or answer, and results are sent in their place.
 */
export class ToolPairs {
  private readonly removals: CallRemovals;
  private first: Provenance | null = null;
  /** The newest answer that is sent, while only results follow it. */
  private answer: SentMessage | null = null;
  /** Its calls, and those with a result. */
  private readonly open = new Set<string>();
  private readonly answered = new Set<string>();
  /** The line of the first answer that made a call of this id. */
  private readonly calls = new Map<string, number>();
  private readonly failedCalls = new Map<string, number>();
  /** Calls to which Pi has added a result. */
  private readonly unanswered = new Set<string>();
  /** Results without a call so far. */
  private readonly strays = new Map<string, Provenance>();
  private newStrays: ResultFault<'uncalled' | 'failed'>[] = [];

  constructor(private readonly session: Session) {
    this.removals = CallRemovals.of(session);
  }

  take(sent: SentMessage): readonly PairFault[] {
    this.first ??= sent.from;
    if (sent.message.role === 'toolResult') return this.takeResult(sent);
    const closed = this.close();
    if (sent.message.role !== 'assistant') return closed;
    const faults = isFailedAnswer(sent.message) ? this.takeFailed(sent) : this.takeAnswer(sent);
    return closed === NONE ? faults : [...closed, ...faults];
  }

  /** Ends the request, and returns its results without a call. */
  end(): readonly PairFault[] {
    if (this.newStrays.length === 0) return NONE;
    const faults = this.newStrays.filter(({ callId }) => callId === null || !this.calls.has(callId));
    this.newStrays = [];
    return faults.map((fault) => this.explain(fault));
  }

  /** Closes the newest answer: before the next message, Pi adds a result to every call without one. */
  private close(): readonly PairFault[] {
    const { answer } = this;
    if (!answer) return NONE;
    const content = contentListOf(answer.message);
    const faults: PairFault[] = [];
    for (let at = 0; this.answered.size < this.open.size && at < content.length; at += 1) {
      const call = readCallAt(content, at);
      if (!call || this.answered.has(call.id)) continue;
      this.answered.add(call.id);
      this.unanswered.add(call.id);
      faults.push({ kind: 'unanswered', from: answer.from, call });
    }
    this.answer = null;
    this.open.clear();
    this.answered.clear();
    return faults.length === 0 ? NONE : faults;
  }

  private takeFailed({ message, from }: SentMessage): readonly PairFault[] {
    const content = contentListOf(message);
    for (let at = 0; at < content.length; at += 1) {
      const call = readCallAt(content, at);
      if (call) this.failedCalls.set(call.id, from.line);
    }
    return NONE;
  }

  private takeAnswer(sent: SentMessage): readonly PairFault[] {
    const { message, from } = sent;
    const content = contentListOf(message);
    let faults: PairFault[] | null = null;
    for (let at = 0; at < content.length; at += 1) {
      const call = readCallAt(content, at);
      if (!call) continue;
      const earlier = this.calls.get(call.id);
      const stray = this.strays.get(call.id);
      if (earlier !== undefined) {
        const related = this.idsAt(earlier);
        const isSameAnswer = this.open.has(call.id);
        (faults ??= []).push({ kind: 'same-id', from, call, isSameAnswer, related });
      } else if (stray) {
        (faults ??= []).push({ kind: 'early', from: stray, callId: call.id, related: [from.entryId] });
      }
      if (earlier === undefined) this.calls.set(call.id, from.line);
      this.open.add(call.id);
    }
    this.answer = this.open.size > 0 ? sent : null;
    return faults ?? NONE;
  }

  private takeResult({ message, from }: SentMessage): readonly PairFault[] {
    const { toolCallId } = message;
    const callId = asString(toolCallId);
    if (callId !== null && this.open.has(callId) && !this.answered.has(callId)) {
      this.answered.add(callId);
      return NONE;
    }
    const line = callId === null ? undefined : this.calls.get(callId);
    if (callId !== null && line !== undefined) {
      const kind = !this.open.has(callId) && this.unanswered.delete(callId) ? 'late' : 'again';
      return [{ kind, from, callId, related: this.idsAt(line) }];
    }
    if (callId !== null) this.strays.set(callId, from);
    // A failed answer after the result cannot contain its call.
    const failed = callId === null ? undefined : this.failedCalls.get(callId);
    if (failed === undefined) this.newStrays.push({ kind: 'uncalled', from, callId, related: [] });
    else this.newStrays.push({ kind: 'failed', from, callId, related: this.idsAt(failed) });
    return NONE;
  }

  private explain(fault: ResultFault<'uncalled' | 'failed'>): PairFault {
    const { kind, callId, from } = fault;
    const by = kind === 'failed' || callId === null ? null : this.removals.find(callId, from, this.first);
    return by ? { ...fault, kind: 'parted', by, related: [by.call.id, from.entryId] } : fault;
  }

  private idsAt(line: number): readonly RawId[] {
    const id = findHeadAtLine(this.session, line)?.id;
    return id === undefined ? [] : [id];
  }
}
