import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';

const optionalText = z.optional(z.string());

/** The first line of a session. */
export const sessionHeader = z.looseObject({
  type: z.literal('session'),
  /** Missing in version 1. */
  version: z.optional(z.int().check(z.positive())),
  id: z.string(),
  timestamp: z.string(),
  /** The working directory of the session. */
  cwd: optionalText,
  /** The file from which this session was forked. */
  parentSession: optionalText,
  /** The name of `parentSession` in version 1. */
  branchedFrom: optionalText,
  /** Version 1. */
  provider: optionalText,
  modelId: optionalText,
  thinkingLevel: optionalText,
});

export type SessionHeader = DeepReadonly<z.infer<typeof sessionHeader>>;
