import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { generationOptions, systemPart, toolDefinition } from './content.js';

/** Prompt, tools and options that a session does not record, supplied by the user. */
export const baseline = z.strictObject({
  parts: z.optional(z.array(systemPart)),
  tools: z.optional(z.array(toolDefinition)),
  options: z.optional(generationOptions),
  limit: z.optional(z.int().check(z.positive())),
});

export type Baseline = DeepReadonly<z.infer<typeof baseline>>;
