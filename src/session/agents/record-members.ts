/** The members of an agent's records, by their names. What a record hangs on stays when its texts are changed. */
export interface RecordMembers {
  /** Whether a name belongs to the format, in an object that does not hold what a tool or a user chose. */
  isOfFormat(name: string): boolean;
  /** Those whose texts link or tell apart records, messages and calls. */
  readonly links: ReadonlySet<string>;
  /** Those whose texts only the provider can read. */
  readonly opaque: ReadonlySet<string>;
  /** Those with the values of a tool or an extension, in which no name has a meaning for the session. */
  readonly free: ReadonlySet<unknown>;
  /** Those whose names come from a user or a tool, and whose values do not. */
  readonly named: ReadonlySet<unknown>;
  /** The `type` of objects whose `data` is an image. */
  readonly images: ReadonlySet<string>;
}

/** Whether a name is one that formats have: letters without digits or signs, which no credential is. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_]{1,60}$/.test(name);
}
