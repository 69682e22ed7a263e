import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';

const optionalText = z.optional(z.string());

/** The first line of a session. */
export const sessionHeader = z.looseObject({
  type: z.literal('session'),
  /** Version 1 does not say. */
  version: z.optional(z.int().check(z.positive())),
  id: z.string(),
  timestamp: z.string(),
  /** The folder that the session is about. */
  cwd: optionalText,
  /** The file that this session was forked from. */
  parentSession: optionalText,
  /** The same in version 1. */
  branchedFrom: optionalText,
  /** Version 1. */
  provider: optionalText,
  modelId: optionalText,
  thinkingLevel: optionalText,
});

export type SessionHeader = DeepReadonly<z.infer<typeof sessionHeader>>;
