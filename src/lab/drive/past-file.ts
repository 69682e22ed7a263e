import type { Files } from '#platform/files/files.js';
import type { TemporaryFile } from '#platform/files/temporary-file.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** Creates a session file for an engine that reads it; undefined: it reads the recorded file. */
export type CreatePast = (() => Promise<TemporaryFile>) | undefined;

/** Creates a file of its own for the entries so far, so that an engine that reads it cannot see what comes later. */
export function preparePastFile(files: Pick<Files, 'createTemporary'>): () => Promise<TemporaryFile> {
  return () => files.createTemporary('session.jsonl');
}

const NEWLINE = 0x0a;

/** Writes down a recorded session, header first, as the file was when each of its entries was the newest. */
export class PastFile {
  private isChanged = false;

  private constructor(
    private readonly source: Session,
    private readonly target: TemporaryFile,
  ) {}

  /** null: there is no file to write to. */
  static async create(source: Session, create: CreatePast): Promise<PastFile | null> {
    if (!create) return null;
    const past = new PastFile(source, await create());
    past.add(source.scan.headerSpan);
    return past;
  }

  get file(): string {
    return this.target.file;
  }

  /** Looks whether the file contains anything but what was written here. True only the first time. */
  noticeChange(how: 'size' | 'content'): boolean {
    if (this.isChanged || this.target.isAsWritten(how)) return false;
    this.isChanged = true;
    return true;
  }

  /** Adds a line as it is recorded; the last line of a file may have no newline. */
  add(span: Head | Session['scan']['headerSpan']): void {
    let last = NEWLINE;
    for (const piece of this.source.bytes(span)) {
      this.target.append(piece);
      last = piece.at(-1) ?? last;
    }
    if (last !== NEWLINE) this.target.append(Uint8Array.of(NEWLINE));
  }

  remove(): void {
    this.target.remove();
  }
}
