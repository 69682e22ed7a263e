import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The source of a text: an entry. A system part or tool has the entry that declared it. */
const sourceFields = {
  /** The file, as the user named it, in a search of many sessions. */
  file: z.exactOptional(z.string()),
  /** null for a system part or tool that no single entry declared. */
  entryId: z.nullable(z.string()),
  /** The line of the file, from 1. */
  line: z.nullable(z.int()),
  /** The type of that entry; null without one. */
  type: z.nullable(z.string()),
  /**
   * The role of its message, else its type, or what a transform of another agent changes; `system` or `tool` for a
   * system part or tool of the context.
   */
  name: z.string(),
  /** The name of that system part or tool. */
  part: z.nullable(z.string()),
  /** The role of its message; null without one. */
  role: z.nullable(z.string()),
};

/** One line of `ctx grep`. */
export const grepMatchLine = jsonDocument('ctx/grep-match', {
  ...sourceFields,
  /** Inside the entry or its message: `content[0].text`, `sections.rules`, `summary`. */
  place: z.string(),
  /** The line in the text at that place, from 1. */
  lineInText: z.int(),
  /** The text of that line, or the surroundings of the match in a line of more than 1000 characters. */
  text: z.string(),
  /** The place in the line where `text` begins. */
  textStart: z.int(),
  /** The place of the match in `text`, in UTF-16 code units. */
  start: z.int(),
  /** The end of the match in `text`, in UTF-16 code units. */
  end: z.int(),
  /** Whether the context contains the match; null if it cannot be replayed. */
  isVisible: z.nullable(z.boolean()),
  /** The entry of the path that hid it from the model; null if none did, or if that is unknown. */
  hiddenBy: z.nullable(z.object({ entryId: z.nullable(z.string()), type: z.nullable(z.string()) })),
  /** The lines before the match, with `--context`. */
  before: z.exactOptional(z.array(z.string())),
  /** The lines after it, with `--context`. */
  after: z.exactOptional(z.array(z.string())),
});

export type GrepMatchLine = z.infer<typeof grepMatchLine>;

/** One line of `ctx grep --count`. */
export const grepCountLine = jsonDocument('ctx/grep-count', {
  ...sourceFields,
  /** The number of matches in the entry, part or tool. */
  matches: z.int(),
});

export type GrepCountLine = z.infer<typeof grepCountLine>;
