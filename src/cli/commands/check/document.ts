import * as z from 'zod/mini';
import { checkedFileDocument } from '#analysis/check/checked-file.js';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { findingDocument } from '#analysis/check/finding.js';
import { jsonDocument } from '#base/schema.js';
import { partOption } from '../part-options.js';

/** The output of `ctx check --json`. */
export const checkDocument = jsonDocument('ctx/check', {
  /** The files in the order of the command line. */
  files: z.array(checkedFileDocument),
  /** Sums over all files. */
  totals: z.object({
    /** The number of files. */
    files: z.int(),
    /** Files that could not be checked. */
    unreadable: z.int(),
    /** Files in which something was found. */
    withFindings: z.int(),
    errors: z.int(),
    warnings: z.int(),
    notes: z.int(),
  }),
});

export type CheckDocument = z.infer<typeof checkDocument>;

/** One line of `ctx check --format ndjson`, for each finding. */
export const checkFindingLine = jsonDocument('ctx/check-finding', {
  file: z.string(),
  ...findingDocument.shape,
});

export type CheckFindingLine = z.infer<typeof checkFindingLine>;

/** One line of `ctx check --format ndjson`, for each file after its findings. */
export const checkFileLine = jsonDocument('ctx/check-file', {
  ...z.omit(checkedFileDocument, { findings: true }).shape,
});

export type CheckFileLine = z.infer<typeof checkFileLine>;

/** The output of `ctx check --write-known`. */
export const recordedFindings = jsonDocument('ctx/recorded-findings', {
  /** The file that they were written to. */
  file: z.string(),
  /** The recorded findings in the sessions of this run. */
  findings: z.int(),
  sessions: z.int(),
  /** All that the file holds now, also of sessions and rules that were not part of this run. */
  total: z.int(),
});

export type RecordedFindings = z.infer<typeof recordedFindings>;

/** The output of `ctx check --explain`, and a line of `ctx check --list-rules`. */
export const rulePage = jsonDocument('ctx/rule', {
  name: z.string(),
  group: z.enum(RULE_GROUPS),
  /** null: it is off until the configuration turns it on. */
  severity: z.nullable(z.enum(['error', 'warning', 'note'])),
  summary: z.string(),
  /** Markdown. */
  help: z.string(),
  options: z.array(partOption),
  /** A small session with a finding, and that finding; not in a list. */
  example: z.exactOptional(
    z.object({
      /** null if the session is too big to show. */
      session: z.nullable(z.string()),
      options: z.unknown(),
      findings: z.array(
        z.object({
          line: z.nullable(z.int()),
          entryId: z.nullable(z.string()),
          place: z.nullable(z.string()),
          message: z.string(),
          fix: z.nullable(z.string()),
        }),
      ),
    }),
  ),
});

export type RulePage = z.infer<typeof rulePage>;

const from = z.enum(['default', 'config', 'flag']);

function defineDecided<Value extends z.ZodMiniType>(
  value: Value,
): z.ZodMiniObject<{ value: Value; from: typeof from }> {
  return z.object({ value, from });
}

/** The output of `ctx check --print-config`: every setting of a check, and its origin. */
export const checkConfig = jsonDocument('ctx/check-config', {
  /** The configuration that was read. */
  file: z.nullable(z.string()),
  files: defineDecided(z.array(z.string())),
  requests: defineDecided(z.enum(['leaf', 'all'])),
  limit: defineDecided(z.nullable(z.int())),
  contextBaseline: defineDecided(z.nullable(z.string())),
  baseline: defineDecided(z.nullable(z.string())),
  maxWarnings: defineDecided(z.nullable(z.int())),
  rules: z.array(
    z.object({
      name: z.string(),
      group: z.enum(RULE_GROUPS),
      severity: z.enum(['off', 'note', 'warning', 'error']),
      /** null for a rule that is off or has no options. */
      options: z.unknown(),
      from,
    }),
  ),
});

export type CheckConfig = z.infer<typeof checkConfig>;

/** The file in which findings are recorded. */
export const knownFindingsFile = jsonDocument('ctx/known-findings', {
  files: z.array(
    z.object({
      /** The path from the folder of this file, with `/` between the names. */
      file: z.string(),
      /** The number of findings by rule, and by entry, or by a hash without an entry. */
      findings: z.record(z.string(), z.record(z.string(), z.int().check(z.positive()))),
    }),
  ),
});
