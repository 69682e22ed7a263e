/** The members of an agent's records, by name. They tell which texts a redaction may change. */
export interface RecordMembers {
  /** Whether a name belongs to the format, in an object that does not hold what a tool or a user chose. */
  isOfFormat(name: string): boolean;
  /** The members whose texts link records, messages and calls, or tell them apart. */
  readonly links: ReadonlySet<string>;
  /** The members whose texts only the provider can read. */
  readonly opaque: ReadonlySet<string>;
  /** The members that hold values of a tool or an extension. No name within them has a meaning for the session. */
  readonly free: ReadonlySet<unknown>;
  /** The members whose keys come from a user or a tool, but whose values do not. */
  readonly named: ReadonlySet<unknown>;
  /** The `type` of objects whose `data` is an image. */
  readonly images: ReadonlySet<string>;
}

/** Whether a name is one that formats have: letters without digits or signs, which no credential is. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_]{1,60}$/.test(name);
}
