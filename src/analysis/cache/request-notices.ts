import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import type { RequestNotice } from './request-comparison.js';

/** The circumstances of requests that another agent records beside the messages. They are read at breaks only. */
export class RequestNotices {
  /** The first answer, or the answer of the newest break. Circumstances count from there on. */
  private from: Head | null = null;
  private bytes = 0;

  constructor(private readonly session: Session) {}

  startAt(answer: Head): void {
    this.from ??= answer;
  }

  /** `before` and `now`: the answers to the previous request and to the one of the break. */
  readBetween(before: Head, now: Head): readonly RequestNotice[] {
    const { session } = this;
    const first = this.from ?? before;
    if (!session.notices) return [];
    this.bytes += Math.max(0, now.offset - first.offset);
    this.from = now;
    // The entries of a damaged file may lead back and forth.
    if (this.bytes > 2 * session.source.size) return [];
    return session.notices(first, before, now).map((notice) => {
      return { ...notice, entryId: formatId(findHeadAtLine(session, notice.line)?.id) };
    });
  }
}
