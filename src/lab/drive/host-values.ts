import * as z from 'zod/mini';
import { attempt } from '#base/errors.js';

const booleanText = z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' });

/** A regular expression for prompts; `true` matches all of them, and `false` none. */
const promptPattern = z.pipe(
  z.string().check(z.refine((text) => attempt(() => new RegExp(text, 'u'), null) !== null)),
  z.transform((text: string) => ({ true: '', false: '(?!)' })[text] ?? text),
);

/** The values that `--set` accepts, each as text. */
export const hostValues = z.strictObject({
  /** The key of the session at its host, beside its id. */
  sessionKey: z.optional(z.string().check(z.minLength(1))),
  /** Instructions of the user for each compaction. */
  customInstructions: z.optional(z.string().check(z.minLength(1))),
  /** Milliseconds after which the host ends a subagent. */
  ttlMs: z.optional(z.pipe(z.string().check(z.regex(/^[1-9]\d{0,14}$/)), z.transform(Number))),
  /** Selects the turns that a schedule started and not a user, by their prompts. */
  isHeartbeat: z.optional(promptPattern),
  citationsMode: z.optional(z.enum(['auto', 'on', 'off'])),
  /** Whether maintenance in the background may do deferred compactions (default: true). */
  allowDeferredCompactionExecution: z.optional(booleanText),
  /** Whether the host keeps the session of a completed subagent (the default), or deletes it. */
  cleanup: z.optional(z.enum(['keep', 'delete'])),
});

export type HostValues = z.infer<typeof hostValues>;

/** Whether the prompt of a turn comes from a schedule. */
export function isHeartbeat({ isHeartbeat: pattern }: HostValues, prompt: string): boolean {
  return pattern !== undefined && new RegExp(pattern, 'u').test(prompt);
}
