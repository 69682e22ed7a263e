import * as z from 'zod/mini';

/** A hook that gave no answer. */
export const hookFailure = z.object({
  hook: z.string(),
  kind: z.enum(['threw', 'timed-out', 'exited', 'not-json', 'too-long', 'cancelled', 'not-loaded']),
  message: z.string(),
});

export type HookFailure = z.infer<typeof hookFailure>;
