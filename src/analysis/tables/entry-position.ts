import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { SharedEntries } from '../stats/shared-entries.js';
import { nameAgent, toCalendarTime } from './entry-values.js';
import type { EntryPart } from './shared-columns.js';

/** The position of an entry: in the file, and on the active path. Its values are computed when a column needs them. */
export class EntryPosition implements EntryPart {
  constructor(
    private readonly places: Places,
    private readonly head: Head,
  ) {}

  get session_id(): string {
    return this.places.session.header.id;
  }

  get file(): string {
    return this.places.session.file;
  }

  get cwd(): string | null {
    return this.places.session.header.cwd;
  }

  get agent(): string {
    return nameAgent(this.places.session);
  }

  get line(): number {
    return this.head.line;
  }

  get entry_id(): string | null {
    return formatId(this.head.id);
  }

  get time(): number | null {
    return toCalendarTime(this.head.time);
  }

  get shared(): boolean {
    return this.places.shared.has(this.places.session, this.head.index);
  }

  get on_active_path(): boolean {
    return this.places.turns[this.head.index] !== OFF_PATH;
  }

  /** Turns started so far, including this one; null outside the active path. */
  get turn(): number | null {
    return this.on_active_path ? (this.places.turns[this.head.index] ?? null) : null;
  }

  /** Requests answered so far, including this one; null outside the active path. */
  get request(): number | null {
    return this.on_active_path ? (this.places.requests[this.head.index] ?? null) : null;
  }
}

interface Places {
  readonly session: Session;
  readonly shared: SharedEntries;
  /** The turn of each entry, by its index. */
  readonly turns: Int32Array;
  readonly requests: Int32Array;
}

const OFF_PATH = -1;

export function buildPlaces(session: Session, shared: SharedEntries, path: readonly Head[]): Places {
  const { length } = session.tree.heads;
  const turns = new Int32Array(length).fill(OFF_PATH);
  const requests = new Int32Array(length);
  let turn = 0;
  let request = 0;
  for (const head of path) {
    if (startsTurn(head)) turn += 1;
    if (answersRequest(head)) request += 1;
    turns[head.index] = turn;
    requests[head.index] = request;
  }
  return { session, shared, turns, requests };
}
