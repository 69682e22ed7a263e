import { CtxError } from '#base/errors.js';
import type { Files } from '#platform/files/files.js';
import type { Io } from '#platform/io.js';
import { buildSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { FILE_START, IncrementalScan, scanRecords } from '#session/scan/incremental-scan.js';
import { replaceLastSource } from '#session/scan/joined-source.js';
import { type OpenSession, openSessionSource, readOtherAgentSession, toOpenSession } from './open.js';

/** The time in milliseconds between two checks of a file. */
const PAUSE_MILLISECONDS = 250;

/** A session after a change. */
export interface SessionUpdate {
  readonly session: OpenSession;
  /** `rewritten`: the file was replaced, so that earlier data is invalid. */
  readonly change: 'first' | 'more' | 'rewritten';
}

/** Yields the session in a file, and again after each write to it, until the caller stops waiting. */
export async function* followSession(io: Io, file: string): AsyncGenerator<SessionUpdate> {
  if (file === '-') throw new CtxError('usage', 'standard input cannot be followed', { hint: 'pass a file' });
  const live = await SessionFollower.open(file, io.files);
  yield { session: await live.session(), change: 'first' };
  while (await io.wait(PAUSE_MILLISECONDS)) {
    const news = await live.readNews();
    if (news) yield news;
  }
}

const NEWLINE = 0x0a;
/** The number of bytes before the end that must be unchanged for an appended file to be continued. */
const MEMORY_BYTES = 256;

/** The position up to which a file was read. */
interface Place {
  readonly end: number;
  /** The bytes before the end. */
  readonly last: Uint8Array;
  /** Whether the last line was an entry without its newline. */
  readonly lacksNewline: boolean;
}

/** A session file that may still be written. Appended data is read; earlier data is not read again. */
export class SessionFollower {
  private constructor(
    private readonly file: string,
    private readonly files: Files,
    private source: ByteSource,
    private scanning: IncrementalScan,
    private place: Place,
    private readonly isForeign: boolean,
  ) {
    this.keepOpen(source);
  }

  /** The sources that include the files that this one continues: these do not change, and may be compressed. */
  private readonly whole: ByteSource[] = [];

  /** The source of the previous session, kept open until there is a next one, since a caller may still use it. */
  private sourceBefore: ByteSource | null = null;

  private isClosed = false;
  /** Whether the file was rewritten since the last update. */
  private isRewritten = false;

  /** The size of the file at the last check, so that a half-written line is not parsed repeatedly. */
  private seen = -1;

  /** Throws a CtxError (input) if the file cannot be read. */
  static async open(file: string, files: Files): Promise<SessionFollower> {
    const source = await openSessionSource(files, file);
    const isForeign = (await readOtherAgentSession(source, file)) !== null;
    const scanning = createScan(source, file, isForeign);
    return new SessionFollower(file, files, source, scanning, readOn(source, scanning), isForeign);
  }

  /**
   * The session as far as it was read. Only the newest one can be used, since they share data.
   * Throws a CtxError (input) if there is no header.
   */
  async session(): Promise<OpenSession> {
    // The lines of another agent are read again, since a new one may change what earlier ones mean.
    const foreign = this.isForeign ? await readOtherAgentSession(this.source, this.file) : null;
    return toOpenSession(foreign ?? buildSession(this.scanning.result(), this.source, this.file));
  }

  close(): void {
    this.isClosed = true;
    for (const source of new Set([...this.whole, this.sourceBefore, this.source])) source?.close();
  }

  /** The session after a change; null if there is none, or if the file cannot be read now. */
  async readNews(): Promise<SessionUpdate | null> {
    try {
      const change = await this.grow();
      if (change === 'nothing' || this.isClosed) return null;
      this.isRewritten ||= change === 'rewritten';
      const update = { session: await this.session(), change: this.isRewritten ? 'rewritten' : 'more' } as const;
      this.isRewritten = false;
      return update;
    } catch (error) {
      // A program that rewrites a file empties or removes it for a moment first.
      if (error instanceof CtxError && error.kind === 'input') return null;
      throw error;
    }
  }

  /** Reads data that was written since. A rewritten file is read from its start. */
  async grow(): Promise<'nothing' | 'more' | 'rewritten'> {
    // Decompressing it at each check would keep a processor busy.
    if (this.source.isFixed) return 'nothing';
    let source = await this.reopen();
    const { end, lacksNewline } = this.place;
    const isSame = this.isSame(source);
    const isSeen = source.size === this.seen;
    this.seen = source.size;
    if (isSame && (source.size === end || isSeen)) {
      source.close();
      return 'nothing';
    }

    const mayContinueOthers = this.whole.length > 0;
    if (!isSame && mayContinueOthers) {
      source.close();
      source = this.keepOpen(await openSessionSource(this.files, this.file));
    }
    this.replaceSource(source);

    const continues = isSame && (!lacksNewline || source.read(end, end + 1)[0] === NEWLINE);
    if (continues) this.scanning.continueWith(source, lacksNewline);
    else this.scanning = createScan(source, this.file, this.isForeign);
    const before = this.scanning.end;
    this.place = readOn(source, this.scanning);
    if (!continues) return 'rewritten';
    return this.place.end > before ? 'more' : 'nothing';
  }

  private replaceSource(source: ByteSource): void {
    if (this.sourceBefore && !this.whole.includes(this.sourceBefore)) this.sourceBefore.close();
    this.sourceBefore = this.source;
    this.source = source;
  }

  private keepOpen(source: ByteSource): ByteSource {
    if (source.parts !== undefined) this.whole.push(source);
    return source;
  }

  private async reopen(): Promise<ByteSource> {
    const whole = this.whole.at(-1);
    const { files, file } = this;
    return whole ? replaceLastSource(whole, await files.open(file)) : openSessionSource(files, file);
  }

  private isSame(source: ByteSource): boolean {
    const { end, last } = this.place;
    return source.size >= end && Buffer.compare(source.read(end - last.length, end), last) === 0;
  }
}

/** A file of another agent is only watched by this scan, which therefore needs no header. */
function createScan(source: ByteSource, file: string, isForeign: boolean): IncrementalScan {
  return new IncrementalScan(source, file, { ...FILE_START, withoutHeader: isForeign });
}

function readOn(source: ByteSource, scanning: IncrementalScan): Place {
  for (const records of scanRecords(source, scanning.end, source.size)) scanning.take(records);
  const lacksNewline = scanning.takeEntryTail();
  const { end } = scanning;
  return { end, last: source.read(Math.max(0, end - MEMORY_BYTES), end).slice(), lacksNewline };
}
