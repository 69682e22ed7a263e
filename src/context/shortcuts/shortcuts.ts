import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { readTokensBefore } from '#session/scan/tokens-before.js';
import type { OpenSession } from '../open.js';
import { onlyAddsMessage } from '../replay/entry-kinds.js';
import type { Replay } from '../replay/replay.js';
import { findFirstNeeded } from './first-needed.js';
import { ReplacedMessages } from './replaced-messages.js';
import { ReturningMessages } from './returning-messages.js';

/** The part of a walk that its caller reads. The rest is left out. */
export interface NeededContext {
  /** The first place of the path whose context is read (0), so that earlier entries may be skipped. */
  readonly since?: number | undefined;
  /**
   * The part of messages that is read: `whole` (the default); `sizes`, so that each is counted and released; `none`, so
   * that they are skipped.
   */
  readonly messages?: 'whole' | 'sizes' | 'none' | undefined;
  /**
   * Whether only the context at the end of the path is read, so that messages may be skipped that a transform replaces.
   */
  readonly isOnlyEnd?: boolean | undefined;
}

/**
 * The shortcuts that make a replay fast and small: entries that it skips, messages of which it keeps only the size, and
 * hidden messages that it forgets. The caller reads the same as without them. One instance serves one walk of a
 * complete path.
 */
export class Shortcuts {
  /** The first place whose entries all count. */
  private readonly start: number;
  private readonly replaced: ReplacedMessages | null;
  private readonly returning: ReturningMessages;
  /** The place of the path from which on only the sizes of messages are kept. */
  private readonly sizesFrom: number;

  constructor(
    private readonly session: OpenSession,
    path: readonly Head[],
    private readonly needed: NeededContext,
  ) {
    const { since = 0, messages, isOnlyEnd } = needed;
    this.start = since > 0 ? findFirstNeeded(session, path, since) : 0;
    this.replaced = isOnlyEnd ? new ReplacedMessages(session, path) : null;
    this.returning = new ReturningMessages(session, path);
    this.sizesFrom = messages === 'sizes' ? findAfterTransforms(path) : Infinity;
  }

  /** Whether the context that is read does not depend on an entry. Call it for the places of the path in order. */
  skips(head: Head, index: number, replay: Replay): boolean {
    const isUnread = index < this.start || this.needed.messages === 'none';
    if (isUnread && onlyAddsMessage(head)) return true;
    // The first recorded request is compared with the estimate of its whole context.
    return this.replaced !== null && replay.firstRecorded !== null && this.replaced.includes(head, index);
  }

  /** The parts of an entry that count, if that is not all, or if it was already parsed; null for any other. */
  findParsed(head: Head, index: number): Entry | null {
    // The summary of a compaction that another one replaces is not read.
    if (index < this.start && head.type === 'compaction') return readTokensBefore(this.session, head);
    return this.replaced?.findParsed(index) ?? null;
  }

  /** Releases what is not read any more, after the replay of an entry. */
  release(replay: Replay, head: Head, index: number): void {
    if (index >= this.sizesFrom) replay.releaseMessage(head);
    // Before the start, no messages are there to forget.
    if (index >= this.start) this.returning.forgetOthers(replay, head, index);
  }
}

/** The place after the last transform of a path, which needs the messages before it. */
function findAfterTransforms(path: readonly Head[]): number {
  return path.findLastIndex(({ type }) => type === 'context_transform') + 1;
}
