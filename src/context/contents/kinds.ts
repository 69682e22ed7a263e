/** The kinds of things that a context holds. Every counted token belongs to one of them, or is not recorded. */
export const CONTENT_KINDS = [
  'prompt',
  'memory files',
  'tools',
  'skills',
  'agents',
  'hooks',
  'reminders',
  'user',
  'assistant',
  'thinking',
  'tool calls',
  'tool results',
  'images',
  'documents',
  'summaries',
  'shell',
  'custom',
] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** The kind and the name of a piece of a context. */
export interface ContentLabel {
  readonly kind: ContentKind;
  /**
   * The name within the kind, such as the path of a memory file, the server of tools or the event of a hook. null if
   * the kind says all.
   */
  readonly name: string | null;
}

/** A piece of a text that its sender did not write, such as a memory file in a message of the user. */
export interface LabelledText extends ContentLabel {
  readonly text: string;
  /** The skill, the agent or the tool that this piece of a list is about; absent for what is of none of them. */
  readonly item?: string | undefined;
  /** The name is read from a heading in the text: it counts only if something else names the same server. */
  readonly isHeading?: true;
}
