export interface IndexedSession {
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly cwd: string | null;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly bytes: number;
  readonly entries: number;
  readonly model: string;
  readonly contextTokens: number;
  readonly isContextRecorded: boolean;
  readonly cost: number | null;
  readonly problems: number;
}

/** The data of a page about a folder of sessions. */
export interface IndexReport {
  readonly kind: 'index';
  readonly version: string;
  readonly folder: string;
  readonly sessions: readonly IndexedSession[];
  readonly unreadable: readonly (readonly [file: string, why: string])[];
}
