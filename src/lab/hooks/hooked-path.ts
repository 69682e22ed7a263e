import type { JsonObject } from '#base/json.js';
import { buildProjection } from '#change/compact/build-projection.js';
import type { Projection } from '#change/compact/projection.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { OpenSession } from '#context/open.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { Baseline, EnvelopeContent } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { skipOpsWrittenBy } from '#context/replay/patch-op.js';
import { Replay } from '#context/replay/replay.js';
import { isKnownToAddNothing } from '#context/replay/unknown-entry.js';
import { findFirstNeeded } from '#context/shortcuts/first-needed.js';
import { ReturningMessages } from '#context/shortcuts/returning-messages.js';
import { type Entry, type StoredMessage, toEntry } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import { AddedEntries } from './added-entries.js';
import { buildMessageTransform } from './dropped-messages.js';
import { isVisibleToHooks, readHookMessage } from './hook-messages.js';
import { LiveTraces } from './live-traces.js';

/** The message that replaces one, or `dropped` if none does; null: it stays. */
export type MessageChange = JsonObject | 'dropped' | null;

/** The steps on the way along a path. */
export interface PathHooks {
  /** Receives a message before its replay. */
  completeMessage(head: Head, message: JsonObject): Promise<MessageChange>;
  /** The entry that replaces a recorded compaction; null keeps it. */
  replaceCompaction(head: Head): Promise<EntryBody | null>;
  /** Hears that an entry has been replayed. */
  onPassed(head: Head, place: number): Promise<void>;
}

/** A path on which hooks add entries between the recorded ones, and change messages. */
export class HookedPath {
  /**
   * The session with the changed and the added entries, which `heads` lists so far. A lenient one reads only ops that keep
   * every rule.
   */
  readonly session: OpenSession;
  readonly heads: Head[] = [];
  /** Whether anything differs from the recording. */
  isChanged = false;
  /** The number of the recorded entries that are replayed. */
  end = 0;
  turns = 0;
  requests = 0;
  readonly live = new LiveTraces();
  private readonly added = new AddedEntries();
  private readonly replay: Replay;
  /** The path of the replay: recorded and added entries in order, also those whose messages hooks left out. */
  private readonly replayed: Head[] = [];
  /** The places of the recorded entries on the path of the replay. */
  private readonly replayedPlaces: number[] = [];
  /** The path without hooks. */
  private readonly untouched: Replay;
  /** The messages that must be kept after compactions hid them. */
  private readonly returning: ReturningMessages;

  constructor(
    recorded: OpenSession,
    readonly path: readonly Head[],
    private readonly options: {
      readonly baseline: Baseline;
      /** The modules that run, by the names of their files: the transforms that they wrote are left out. */
      readonly modules?: ReadonlySet<string>;
    },
  ) {
    const others = skipOpsWrittenBy(readPatch, ({ hook }) => hook !== undefined && options.modules?.has(hook) === true);
    this.session = {
      ...recorded,
      entry: (head) => this.added.find(head) ?? recorded.entry(head),
      readPatch: recorded.isLenient ? (entry) => others(entry).filter(({ ok }) => ok) : others,
    };
    this.replay = this.createReplay(this.replayed);
    this.untouched = this.createReplay(path);
    this.returning = new ReturningMessages(this.session, path);
  }

  /** The next request, with all that hooks have persisted so far. */
  content(): EnvelopeContent {
    return this.replay.content();
  }

  /** The next request without hooks. */
  untouchedContent(): EnvelopeContent {
    return this.untouched.content();
  }

  /** Estimated tokens of the cached messages. */
  messageTokens(): number {
    return this.replay.messages.countSent().tokens;
  }

  /** The context in the agent's own form, by entries, as Pi projects it; `more` are entries that may be added. */
  projection(more: readonly Head[] = []): Projection {
    return buildProjection(this.session, [...this.heads, ...more]);
  }

  /** The prompt, tools and messages that a list of messages in the agent's own form comes to. */
  buildContent(messages: readonly StoredMessage[]): EnvelopeContent {
    const replay = this.createReplay([]);
    for (const [at, message] of messages.entries()) {
      const entry = { type: 'message', id: `sent:${at}`, parentId: null, message };
      replay.step(this.added.add(entry), at, toEntry(entry));
    }
    return replay.content();
  }

  /** Moves to a place whose context alone is needed, without parsing anything else. */
  jumpTo(place: number): void {
    const start = findFirstNeeded(this.session, this.path.slice(0, place + 1));
    for (; this.end <= place; this.end += 1) {
      const head = this.path[this.end];
      if (!head) continue;
      this.noteEntry(head);
      this.placeOnReplayedPath(head);
      const isNeeded = this.end >= start || !MESSAGE_TYPES.has(head.type) || head.role === 'system';
      if (isNeeded && this.live.findDroppingHook(head) === null) this.replayRecorded(head, null);
      this.heads.push(head);
    }
  }

  /** Goes to a place step by step. */
  async walkTo(place: number, hooks: PathHooks): Promise<void> {
    for (; this.end <= place; this.end += 1) {
      const head = this.path[this.end];
      if (!head) continue;
      this.noteEntry(head);
      const entry = isKnownToAddNothing(head.type) ? null : this.session.entry(head);
      await this.replayEntry(head, entry, hooks);
      this.untouched.step(head, this.end, entry);
      this.returning.forgetOthers(this.untouched, head, this.end);
      await hooks.onPassed(head, this.end);
    }
  }

  /** Adds entries after the last one, as if they were in the file. */
  add(bodies: readonly EntryBody[]): void {
    if (bodies.length > 0) this.isChanged = true;
    for (const head of this.buildHeads(bodies)) {
      this.heads.push(head);
      this.replayed.push(head);
      this.replay.step(head, this.replayed.length - 1, this.added.find(head) ?? null);
    }
  }

  /** Heads of entries that are not added yet. */
  buildHeads(bodies: readonly EntryBody[]): readonly Head[] {
    const above = this.heads.at(-1);
    const timestamp = new Date(Number.isFinite(above?.time) ? (above?.time ?? 0) : 0).toISOString();
    return bodies.map((body, at) => {
      const id = `hook:${this.heads.length}:${at}`;
      return this.added.add({ ...body, id, parentId: formatId(above?.id), timestamp });
    });
  }

  private async replayEntry(head: Head, entry: Entry | null, hooks: PathHooks): Promise<void> {
    if (head.type === 'compaction') return this.replayCompaction(head, entry, hooks);
    const message = entry && isVisibleToHooks(head) ? readHookMessage(entry) : null;
    const change = message && (await hooks.completeMessage(head, message));
    if (change === 'dropped' || this.live.findDroppingHook(head) !== null) {
      this.isChanged = true;
      // The entry keeps its place, since a compaction may name it as the first one that it keeps.
      this.placeOnReplayedPath(head);
      return;
    }
    this.replayRecordedAs(head, change && buildReplacement(entry, change), entry);
  }

  private async replayCompaction(head: Head, entry: Entry | null, hooks: PathHooks): Promise<void> {
    const other = await hooks.replaceCompaction(head);
    const replaced = other && entry ? toEntry({ ...entry, ...other }) : null;
    const message = entry && isVisibleToHooks(head) ? readHookMessage(replaced ?? entry) : null;
    const change = message && (await hooks.completeMessage(head, message));
    const { id } = this.replayRecordedAs(head, replaced, entry);
    if (change !== null) this.changeSummary(id, change === 'dropped' ? null : change);
  }

  /** Replays a recorded entry, in another form if hooks replaced it. */
  private replayRecordedAs(recorded: Head, replaced: Entry | null, entry: Entry | null): Head {
    const head = replaced === null ? recorded : this.added.replace(recorded, replaced);
    if (replaced !== null) this.isChanged = true;
    this.heads.push(head);
    this.placeOnReplayedPath(head);
    this.replayRecorded(head, replaced ?? entry);
    return head;
  }

  /** A compaction also hides messages, so only its summary changes. */
  private changeSummary(id: RawId, after: JsonObject | null): void {
    const transform = buildMessageTransform(this.replay, new Map([[formatId(id), after && toLlmMessage(after)]]));
    if (transform) this.add([{ type: 'context_transform', ...transform }]);
  }

  /** Gives the recorded entry at the current place of the path the next place on the path of the replay. */
  private placeOnReplayedPath(head: Head): void {
    this.replayedPlaces[this.end] = this.replayed.length;
    this.replayed.push(head);
  }

  private replayRecorded(head: Head, entry: Entry | null): void {
    this.replay.step(head, this.replayed.length - 1, entry);
    const forgetHidden = (before: number): void =>
      this.replay.forgetHidden(this.replayedPlaces[before] ?? Number.POSITIVE_INFINITY);
    this.returning.forgetOthers({ forgetHidden }, head, this.end);
  }

  private createReplay(path: readonly Head[]): Replay {
    return new Replay(this.session, path, { baseline: this.options.baseline });
  }

  private noteEntry(head: Head): void {
    if (startsTurn(head)) this.turns += 1;
    if (answersRequest(head)) this.requests += 1;
    this.live.take(this.session, head);
  }
}

/** The entry with another message. */
function buildReplacement(entry: Entry | null, message: JsonObject): Entry {
  const { id, parentId, timestamp } = entry ?? {};
  return toEntry({ type: 'message', id, parentId, timestamp, message });
}
