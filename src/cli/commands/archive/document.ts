import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The states of a file, compared with its copy. */
export const CHANGES = ['new', 'grown', 'rewritten', 'unchanged'] as const;

const counts = {
  /** Files that were not archived before. */
  new: z.int(),
  /** Files that begin with what was archived before: the copy was replaced. */
  grown: z.int(),
  /** Files that lack something that was archived before: the earlier copy stays beside the new one. */
  rewritten: z.int(),
  /** Files that were archived before as they are. */
  unchanged: z.int(),
  /** Files that could not be archived. */
  failed: z.int(),
};

/** The output of `ctx archive --json`. */
export const archiveDocument = jsonDocument('ctx/archive', {
  /** The folder of the archive. */
  folder: z.string(),
  /** Whether nothing was written. */
  isDryRun: z.boolean(),
  /** The sessions of each agent that has some. */
  agents: z.array(z.object({ agent: z.string(), ...counts })),
  /** The files that belong to sessions, such as results of tools. */
  sideFiles: z.object(counts),
  /** The files that were copied, or would be without `--dry-run`. */
  copied: z.array(
    z.object({
      file: z.string(),
      /** The agent that wrote it, as `--agent` names it. */
      agent: z.string(),
      /** Whether it is a session, and not only a file that belongs to one. */
      isSession: z.boolean(),
      change: z.enum(['new', 'grown', 'rewritten']),
      /** The copy; null where nothing was written. */
      copy: z.nullable(z.string()),
      /** The earlier copy, which was kept; null without one. */
      kept: z.nullable(z.string()),
      /** Bytes. */
      size: z.int(),
      /** The bytes of the copy; null where nothing was written. */
      copySize: z.nullable(z.int()),
    }),
  ),
  /** The files that could not be archived, and the folders that could not be read. */
  failed: z.array(z.object({ file: z.string(), error: z.string() })),
});

export type ArchiveDocument = z.infer<typeof archiveDocument>;
/** A file that was copied. */
export type CopiedFile = ArchiveDocument['copied'][number];
export type Counts = ArchiveDocument['sideFiles'];
export type Change = (typeof CHANGES)[number];
