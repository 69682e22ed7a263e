import * as z from 'zod/mini';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { jsonDocument } from '#base/schema.js';

const from = z.enum(['default', 'config', 'flag']);

function decided<Value extends z.ZodMiniType>(value: Value): z.ZodMiniObject<{ value: Value; from: typeof from }> {
  return z.object({ value, from });
}

/** The output of `ctx check --print-config`: every setting of a check, and its origin. */
export const checkConfig = jsonDocument('ctx/check-config', {
  /** The configuration that was read. */
  file: z.nullable(z.string()),
  files: decided(z.array(z.string())),
  requests: decided(z.enum(['leaf', 'all'])),
  limit: decided(z.nullable(z.int())),
  contextBaseline: decided(z.nullable(z.string())),
  baseline: decided(z.nullable(z.string())),
  maxWarnings: decided(z.nullable(z.int())),
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

/** An option of a rule or a strategy. */
const option = z.object({
  name: z.string(),
  type: z.string(),
  default: z.unknown(),
  isRequired: z.boolean(),
  meaning: z.string(),
});

/** The output of `ctx prune --explain`, and a line of `ctx prune --list`. */
export const strategyPage = jsonDocument('ctx/strategy', {
  name: z.string(),
  summary: z.string(),
  /** Markdown. */
  help: z.string(),
  options: z.array(option),
});

/** The output of `ctx check --explain`, and a line of `ctx check --list-rules`. */
export const rulePage = jsonDocument('ctx/rule', {
  name: z.string(),
  group: z.enum(RULE_GROUPS),
  /** null: it is off until the configuration turns it on. */
  severity: z.nullable(z.enum(['error', 'warning', 'note'])),
  summary: z.string(),
  /** Markdown. */
  help: z.string(),
  options: z.array(option),
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

/** The output of `ctx check --write-baseline`. */
export const recordedFindings = jsonDocument('ctx/recorded-findings', {
  /** Where they were written. */
  file: z.string(),
  /** In the sessions of this run. */
  findings: z.int(),
  sessions: z.int(),
  /** All that the file holds now, also of sessions and rules that were not part of this run. */
  total: z.int(),
});

export type CheckConfig = z.infer<typeof checkConfig>;
export type StrategyPage = z.infer<typeof strategyPage>;
export type RulePage = z.infer<typeof rulePage>;
export type RecordedFindings = z.infer<typeof recordedFindings>;
