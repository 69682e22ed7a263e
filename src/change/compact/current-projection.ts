import { isObject } from '#base/json.js';
import { applyEdit } from '#context/replay/apply-edit.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText, readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { SentMessage } from '#context/replay/message-list.js';
import { findRepeatedTransform } from '#context/replay/repeated-transform.js';
import type { ReplayableSession } from '#context/replayable.js';
import { countTokens } from '#context/size/tokens.js';
import { replayPath } from '#context/walk.js';
import type { StoredMessage } from '#session/entry.js';
import { buildHeadKey, buildPlaceKey, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { estimateContext } from './estimate.js';
import type { ProjectedEntry, Projection } from './projection.js';

/**
 * The context as it is where transforms have changed it: the messages that are sent, in that order, each at the entry
 * that it comes from, and between them the entries of the path that have none.
 */
export function buildCurrentProjection(session: ReplayableSession, path: readonly Head[]): Projection {
  const replay = replayPath(session, path);
  const { sent } = replay.messages.sentFrom(0);
  const entries = new Weaving(session, path, sent).entries();
  const summary = sent.find(({ from }) => from.origin === 'compaction');
  const { system, tools } = countTokens(replay.declaredAsSent());
  return {
    entries,
    summaryAt: summary
      ? entries.findIndex(({ head, isMade }) => isMade && buildHeadKey(head) === buildPlaceKey(summary.from))
      : -1,
    previousSummary: summary ? findSummaryText(summary.message) : null,
    previousDetails: summary ? readDetails(session, path, summary.from) : null,
    compacted: summary ? (path.find(({ line }) => line === summary.from.line)?.time ?? null) : null,
    tokens: estimateContext({
      entries,
      path,
      isChange: ({ type }) => CONTEXT_CHANGE_TYPES.has(type),
      declared: system + tools,
    }),
  };
}

/** A dual-written compaction has them in the entry below it, which ctx wrote. */
function readDetails(session: Session, path: readonly Head[], { line }: Provenance): unknown {
  const at = path.findIndex((head) => head.line === line);
  const head = path[at];
  const below = path[at + 1];
  if (head?.type === 'compaction') {
    const { details, fromHook } = session.entry(head);
    return fromHook ? null : details;
  }
  return below?.type === 'compaction' ? session.entry(below).details : null;
}

/** Weaves the messages that are sent into the path. */
class Weaving {
  private readonly woven: ProjectedEntry[] = [];
  private readonly places: ReadonlyMap<string, number>;
  /** The entries that messages come from, and those that only repeat them. */
  private readonly taken: Set<number>;
  private readonly omitted: ReadonlySet<RawId>;
  /** The last summary: of what Pi shows above it, prompts are not part. */
  private readonly summaryPlace: number;
  private next: number;

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
    private readonly sent: readonly SentMessage[],
  ) {
    this.places = new Map(path.map((head, at) => [buildHeadKey(head), at]));
    this.taken = new Set(sent.map(({ from }) => this.placeOf(from)));
    for (const [at, { type }] of path.entries())
      if (type === 'compaction' && findRepeatedTransform(session, path, at)) this.taken.add(at);
    this.omitted = findOmitted(session, path);
    const summaries = sent.filter(({ from }) => from.origin === 'compaction').map(({ from }) => this.placeOf(from));
    this.summaryPlace = summaries.reduce((last, place) => Math.max(last, place), -1);
    // The entries before the first message were compacted away.
    this.next = summaries.length === 0 ? 0 : -1;
  }

  entries(): readonly ProjectedEntry[] {
    for (const { message, from } of this.sent) {
      const place = this.placeOf(from);
      const head = this.path[place];
      if (!head) continue;
      if (from.origin === 'transform' || from.origin === 'compaction') {
        this.woven.push({ head, messages: [unwrapMessage(message)], isMade: true });
        continue;
      }
      if (this.next === -1) this.next = place;
      this.passTo(place);
      this.next = Math.max(this.next, place + 1);
      this.woven.push({ head, messages: [this.messageOf(head, from) ?? message], isMade: false });
    }
    this.next = this.next === -1 ? this.summaryPlace : this.next;
    this.passTo(this.path.length);
    return this.woven;
  }

  private placeOf(from: Provenance): number {
    return this.places.get(buildPlaceKey(from)) ?? -1;
  }

  /** The message as it was before it was made fit to be sent. */
  private messageOf(head: Head, { origin, editId }: Provenance): StoredMessage | null {
    const message = readEntryMessage(this.session.entry(head));
    if (message === null || origin === 'entry') return message;
    const edit = this.session.tree.heads.find(editId);
    const replacement = edit && this.session.entry(edit).replacement;
    return isObject(replacement) ? applyEdit(message, replacement) : null;
  }

  /** The entries up to a place, which have no message that is sent; none from above one that a transform has removed. */
  private passTo(place: number): void {
    let passed: ProjectedEntry[] = [];
    for (; this.next < place; this.next += 1) {
      const head = this.path[this.next];
      if (!head || this.taken.has(this.next) || this.isPromptBefore(head)) continue;
      const messages = this.unsentOf(head);
      if (messages === null) passed = [];
      else passed.push({ head, messages, isMade: false });
    }
    for (const entry of passed) this.woven.push(entry);
  }

  /** Whether the checkpoint of a compaction already represents this prompt. */
  private isPromptBefore({ role }: Head): boolean {
    return role === 'system' && this.next < this.summaryPlace;
  }

  /** Pi counts prompts and hidden shell commands at their entries. null: the entry has a message that a transform removed. */
  private unsentOf(head: Head): readonly StoredMessage[] | null {
    if (!MESSAGE_TYPES.has(head.type) || this.omitted.has(head.id)) return [];
    const message = readEntryMessage(this.session.entry(head));
    if (message === null) return [];
    return toLlmMessage(message) === null ? [message] : null;
  }
}

/** A summary as Pi holds it, without the sentence that introduces it. */
function unwrapMessage(message: LlmMessage): StoredMessage {
  const summary = findSummaryText(message);
  return summary === null ? message : { role: 'compactionSummary', summary, timestamp: message.timestamp };
}

function findOmitted(session: Session, path: readonly Head[]): ReadonlySet<RawId> {
  const omitted = new Set<RawId>();
  for (const head of path) {
    if (head.type !== 'context_edit') continue;
    if (session.entry(head).replacement === null) omitted.add(head.target);
    else omitted.delete(head.target);
  }
  return omitted;
}
