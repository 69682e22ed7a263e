/** A file beside a session, with a part of it. */
export interface BundledFile {
  /** The key of its value in the document. */
  readonly key: string;
  readonly file: string;
  /** The part of its JSON that the session needs; all of it if left out. */
  pick?(value: unknown): unknown;
}

/**
 * A session whose agent keeps parts of it in other files. It is read as one document: a `label`, the values of small
 * files before it, its own value, and the values of the others. A file that is missing or no JSON is left out.
 */
export interface SessionBundle {
  /** Matches the path of a session. */
  readonly session: RegExp;
  /** The first key of the document and its value, by which the agent is detected. */
  readonly label: { readonly key: string; readonly value: string };
  /** The key of the session's own value; null for an object whose keys become those of the document. */
  readonly key: string | null;
  /** The files beside a session; `isSmall` for those before it. */
  list(session: string): readonly (BundledFile & { readonly isSmall?: boolean })[];
}
