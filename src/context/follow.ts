import { CtxError } from '#base/errors.js';
import type { Files, Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { recordsOf, Scanning } from '#session/scan/scanning.js';
import { sessionOf } from '#session/session.js';
import { type OpenSession, ready } from './open.js';

/** How long a file is left alone before it is looked at again. */
const PAUSE_MILLISECONDS = 250;

/** A session as it is after a change. */
export interface SessionUpdate {
  readonly session: OpenSession;
  /** `anew`: the file was replaced, so that nothing known of it holds any more. */
  readonly change: 'first' | 'more' | 'anew';
}

/** The session in a file as it is now, and again each time something was written to it, until nobody waits any longer. */
export async function* follow(io: Io, file: string): AsyncGenerator<SessionUpdate> {
  if (file === '-') throw new CtxError('usage', 'standard input cannot be followed', { hint: 'pass a file' });
  const live = await SessionFollower.open(file, io.files);
  yield { session: await live.session(), change: 'first' };
  let isAnew = false;
  while (await io.wait(PAUSE_MILLISECONDS)) {
    const change = await unlessUnreadable(() => live.grow());
    if (change === null || change === 'nothing') continue;
    isAnew ||= change === 'anew';
    // Whoever writes a file anew empties it first, or takes it away for a moment.
    const session = await unlessUnreadable(() => live.session());
    if (!session) continue;
    yield { session, change: isAnew ? 'anew' : 'more' };
    isAnew = false;
  }
}

async function unlessUnreadable<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return null;
    throw error;
  }
}

const NEWLINE = 0x0a;
/** What is appended is a continuation if so many bytes before it are still the same. */
const MEMORY_BYTES = 256;

/** How far a file was read. */
interface Place {
  readonly end: number;
  /** The bytes before the end. */
  readonly last: Uint8Array;
  /** The last line was an entry without its newline. */
  readonly lacksNewline: boolean;
}

/** A session file that somebody may still be writing. What is appended is read; what was read is not read again. */
export class SessionFollower {
  private constructor(
    private readonly file: string,
    private readonly files: Files,
    private source: ByteSource,
    private scanning: Scanning,
    private place: Place,
  ) {}

  /** What the session before this one is read from, until there is a next one: somebody may still be at it. */
  private sourceBefore: ByteSource | null = null;

  /** The size that the file had when it was last looked at: a line that is half written is not parsed again and again. */
  private seen = -1;

  /** Throws a CtxError (input) where there is no file to read. */
  static async open(file: string, files: Files): Promise<SessionFollower> {
    const source = await files.open(file);
    const scanning = new Scanning(source, file);
    return new SessionFollower(file, files, source, scanning, readOn(source, scanning));
  }

  /**
   * The session as far as it was read. Only the newest one can be used, since they share what they have in common.
   * Throws a CtxError (input) where there is no header.
   */
  async session(): Promise<OpenSession> {
    return ready(sessionOf(this.scanning.scan(), this.source, this.file), this.source);
  }

  /** Nothing is read from it any more. */
  close(): void {
    this.sourceBefore?.close();
    this.source.close();
  }

  /** Reads what was written since. A file that was written anew is read anew: nothing that was known of it holds then. */
  async grow(): Promise<'nothing' | 'more' | 'anew'> {
    const source = await this.files.open(this.file);
    const { end, last, lacksNewline } = this.place;
    const isSame = source.size >= end && Buffer.compare(source.read(end - last.length, end), last) === 0;
    const isSeen = source.size === this.seen;
    this.seen = source.size;
    if (isSame && (source.size === end || isSeen)) {
      source.close();
      return 'nothing';
    }
    this.sourceBefore?.close();
    this.sourceBefore = this.source;
    this.source = source;
    const continues = isSame && (!lacksNewline || source.read(end, end + 1)[0] === NEWLINE);
    if (continues) this.scanning.goOn(source, lacksNewline);
    else this.scanning = new Scanning(source, this.file);
    const before = this.scanning.end;
    this.place = readOn(source, this.scanning);
    if (!continues) return 'anew';
    return this.place.end > before ? 'more' : 'nothing';
  }
}

function readOn(source: ByteSource, scanning: Scanning): Place {
  for (const records of recordsOf(source, scanning.end, source.size)) scanning.take(records);
  const lacksNewline = scanning.takeTailOfEntry();
  const { end } = scanning;
  return { end, last: source.read(Math.max(0, end - MEMORY_BYTES), end).slice(), lacksNewline };
}
