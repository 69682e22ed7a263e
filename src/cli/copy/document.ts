import * as z from 'zod/mini';
import { breakEvenDocument } from '#analysis/cache/break-even.js';
import { lossDocument } from '#analysis/loss/document.js';
import { jsonDocument } from '#base/schema.js';
import { pruneDocument } from '#change/prune/document.js';
import { contextSize, tokenCount } from '#context/replay/envelope.js';
import { extractionDocument } from '../commands/extract/document.js';
import { redactionAccount } from '../commands/redact/document.js';
import { copyRepairDocument } from '../commands/repair/copy-document.js';

/** A copy of another agent's session that a command writes, or would write. */
export const copyDocument = jsonDocument('ctx/copy', {
  /** The command that made it. */
  command: z.string(),
  /** The agent, as `--agent` names it. */
  agent: z.string(),
  /** The session that is copied, which stays as it is. */
  original: z.object({ file: z.string(), sessionId: z.string() }),
  /** The copy; `file` is null in a dry run, `bytes` is its size. */
  copy: z.object({
    file: z.nullable(z.string()),
    sessionId: z.string(),
    bytes: z.int(),
    isInstalled: z.boolean(),
    /** The number of files that belong to it, such as those of subagents; 0 unless it is installed. */
    sideFiles: z.int(),
  }),
  /**
   * The messages that it lacks, those with another content, the compactions that it takes back, and whether it adds
   * one.
   */
  changes: z.object({
    dropped: z.int(),
    replaced: z.int(),
    undone: z.int(),
    isCompacted: z.boolean(),
    /** The results that calls without one get. */
    answered: z.int(),
  }),
  /** Estimated tokens of the context, by category. */
  tokens: z.object({ before: tokenCount, after: tokenCount }),
  /** The fill of the context. */
  size: z.object({ before: contextSize, after: contextSize }),
  /** The tokens that the change makes uncached, and those that it saves with each request. */
  cache: breakEvenDocument,
  /** The facts that the summary lacks, in a dry run of `ctx compact`; null for others. */
  loss: z.exactOptional(z.nullable(lossDocument)),
  /** The decisions of `ctx prune`, message by message. */
  prune: z.exactOptional(pruneDocument),
  /** The changes of `ctx repair`, and the files with what was left out. */
  repair: z.exactOptional(copyRepairDocument),
  /** The end of the copy of `ctx extract`, and the number of entries of its path. */
  extraction: z.exactOptional(z.pick(extractionDocument, { to: true, entries: true })),
  /** The replacements of `ctx redact`. */
  redaction: z.exactOptional(redactionAccount),
  /** Sentences that the user should read. */
  notes: z.array(z.string()),
  /**
   * The command line that opens the copy; null if the agent opens none in this place, cannot go on with it, or its context
   * is larger than the window.
   */
  resume: z.nullable(z.string()),
});

export type CopyDocument = z.infer<typeof copyDocument>;
