import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { DriveOptions } from './driven.js';

/** A file of its own for the entries so far, so that an engine that reads it cannot see what comes later. */
export interface PastFile {
  readonly file: string;
  append(bytes: Uint8Array): void;
  /** Takes it away. */
  remove(): void;
}

/** Makes such a file among temporary ones. */
export function pastFileIn(files: { createTemporary(name: string): Promise<PastFile> }): () => Promise<PastFile> {
  return () => files.createTemporary('session.jsonl');
}

const NEWLINE = 0x0a;

/** Writes down a recorded session, header first, as the file was when each of its entries was the newest. */
export class Past {
  private constructor(
    private readonly source: Session,
    private readonly target: PastFile,
  ) {}

  /** null: there is no file to write to. */
  static async of(source: Session, create: DriveOptions['createPast']): Promise<Past | null> {
    if (!create) return null;
    const past = new Past(source, await create());
    past.line(source.scan.headerSpan);
    return past;
  }

  get file(): string {
    return this.target.file;
  }

  add(head: Head): void {
    this.line(head);
  }

  remove(): void {
    this.target.remove();
  }

  /** The bytes as they are recorded; the last line of a file may have no newline. */
  private line(span: Head | Session['scan']['headerSpan']): void {
    let last = NEWLINE;
    for (const piece of this.source.bytes(span)) {
      this.target.append(piece);
      last = piece.at(-1) ?? last;
    }
    if (last !== NEWLINE) this.target.append(Uint8Array.of(NEWLINE));
  }
}
