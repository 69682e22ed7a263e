import * as z from 'zod/mini';
import { PLACES } from '#analysis/search/session-words.js';
import { jsonDocument } from '#base/schema.js';

/** One line of `ctx find`: an entry that was found. The lines of a session follow each other. */
export const foundEntryLine = jsonDocument('ctx/found-entry', {
  file: z.string(),
  sessionId: z.string(),
  /** The agent that wrote the session. */
  agent: z.string(),
  /** The name of the session, or its first words. */
  title: z.string(),
  /** The working directory; null if it is not recorded. */
  cwd: z.nullable(z.string()),
  /** null for an entry without an id. */
  entryId: z.nullable(z.string()),
  /** The line of the file, from 1. */
  line: z.int(),
  /** ISO 8601; null if it is not recorded. */
  time: z.nullable(z.string()),
  /** The role of its message, else its type. */
  name: z.string(),
  /** Whether the model sees it at the end of the active path: `hidden` is on that path, and `branch` is not. */
  place: z.enum(PLACES),
  /** A piece of its text; null if the file has changed since. */
  snippet: z.nullable(z.string()),
  /** The places of the words in the snippet, in UTF-16 code units. */
  matches: z.array(z.object({ start: z.int(), end: z.int() })),
  /** The files of other sessions that have a copy of the entry, such as forks and copies by ctx. */
  copies: z.array(z.string()),
  /** How well it matches: larger is better. Only comparable within one answer. */
  score: z.number(),
  /** The command line that shows the entry. */
  open: z.string(),
  /** The command line that goes on with the session in its agent; null if none is known. */
  resume: z.nullable(z.string()),
});

export type FoundEntryLine = z.infer<typeof foundEntryLine>;
