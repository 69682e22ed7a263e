import { SessionFollower } from '#context/follow.js';
import type { OpenSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';

/** The sessions that stay open at most. */
const MOST_OPEN = 8;

interface KeptSession {
  readonly follower: SessionFollower;
  /** The session up to the last read; null: it has grown since. */
  session: OpenSession | null;
  readonly modified: number;
}

/**
 * Sessions that stay open between requests. One that has grown since is read on, one that was rewritten is read again.
 */
export class KeptSessions {
  private readonly kept = new Map<string, KeptSession>();
  /** The sessions of the current request, which all see the same state of a file. */
  private current = new Map<string, OpenSession>();

  constructor(private readonly files: Files) {}

  /** Begins a request. Sessions of the request before can no longer be used. */
  begin(): void {
    this.current = new Map();
  }

  /** Opens a session, which is not to be closed. Throws a CtxError (input) if there is none to read. */
  async open(file: string): Promise<OpenSession> {
    const opened = this.current.get(file);
    if (opened) return opened;
    const kept = await this.bringUpToDate(file);
    const session = (kept.session ??= await kept.follower.session());
    this.current.set(file, session);
    return session;
  }

  close(): void {
    for (const file of this.kept.keys()) this.forget(file);
  }

  private async bringUpToDate(file: string): Promise<KeptSession> {
    const before = this.kept.get(file);
    const modified = this.files.modified(file);
    const isUnread = before && (await before.follower.grow()) !== 'nothing';
    const isRewritten = before && !isUnread && before.modified !== modified;
    if (isRewritten) this.forget(file);
    const now: KeptSession =
      before && !isRewritten
        ? { ...before, modified, session: isUnread ? null : before.session }
        : { follower: await SessionFollower.open(file, this.files), modified, session: null };
    // The one that was used last is the last one to go.
    this.kept.delete(file);
    this.kept.set(file, now);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_OPEN && oldest !== undefined && !this.current.has(oldest)) this.forget(oldest);
    return now;
  }

  private forget(file: string): void {
    this.kept.get(file)?.follower.close();
    this.kept.delete(file);
  }
}
