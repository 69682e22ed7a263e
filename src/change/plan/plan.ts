import * as z from 'zod/mini';
import { CtxError } from '#base/errors.js';
import type { DeepReadonly, JsonObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import { jsonDocument } from '#base/schema.js';
import { contextSize, tokenCount } from '#context/replay/envelope.js';

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const newEntry = z.looseObject({
  /** The type of the entry, such as `compaction`. */
  type: z.string(),
  /** The new id of the entry. */
  id: z.string().check(z.minLength(1)),
  /** The entry before it on the path; null for a root. */
  parentId: z.nullable(z.string()),
  /** UTC, as ISO 8601. */
  timestamp: z.string(),
});

/** Plans of earlier builds lack the price of the prompt and the tools. */
const plannedSize = z.object({
  ...contextSize.shape,
  declaredFactor: z.optional(contextSize.shape.declaredFactor),
});

/** A plan: the session as it was read, and the entries that a command appends to it. */
export const planDocument = jsonDocument('ctx/plan', {
  /** The command that made it. */
  command: z.string(),
  /** The session as it was read. */
  session: z.object({
    /** The file, or `-` for standard input. */
    file: z.string(),
    /** The id in its header. */
    id: z.string(),
    /** Bytes. */
    size: z.int().check(z.nonnegative()),
    /** The hash of the whole file. */
    sha256,
    /** The last entry of the active path; null for an empty session. */
    leafId: z.nullable(z.string()),
    /** false: the last line lacks its newline, which is written first. */
    endsWithNewline: z.boolean(),
  }),
  /** Whole entries in the order in which they are written; each names its parent. */
  entries: z.array(newEntry),
  /** Hashes that a write is verified with. */
  predicted: z.object({
    /** The hash of the envelope at the last entry. */
    sha256,
    /** The hash of the envelope that Pi shows there; Pi knows no transforms. */
    stockSha256: sha256,
  }),
  /** The ids of entries that stock Pi ignores. Absent in plans of earlier builds. */
  ignoredByStock: z.optional(z.array(z.string())),
  /**
   * Estimated tokens, by category, of the context at the leaf, or where a branch begins, and of the one at the last
   * entry.
   */
  tokens: z.object({ before: tokenCount, after: tokenCount }),
  /** The fill of the context at both. Absent in plans of earlier builds. */
  size: z.optional(z.object({ before: plannedSize, after: plannedSize })),
});

/**
 * A plan of a writing command: whole entries to append, in Pi's own form and key order, and what that
 * makes of the context. Plain data: it can be saved, read again and applied.
 */
export type Plan = DeepReadonly<Omit<z.infer<typeof planDocument>, 'entries'>> & {
  readonly entries: readonly JsonObject[];
};

/** A plan that was saved. Throws a CtxError (input) for a value that is none. */
export function readPlan(value: unknown, file: string): Plan {
  const parsed = planDocument.safeParse(value);
  if (parsed.success) {
    // The value itself, not zod's copy of it: the entries are written exactly as they were saved.
    return value as Plan;
  }
  throw new CtxError('input', `not a plan: ${describeIssue(parsed.error)}`, {
    where: file,
    hint: 'pass a file that --plan wrote',
  });
}
