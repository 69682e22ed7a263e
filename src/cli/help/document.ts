import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The output of `ctx --version --json`. */
export const versionDocument = jsonDocument('ctx/version', {
  version: z.string(),
  /** The version of Node.js that runs `ctx`. */
  node: z.string(),
});

export type VersionDocument = z.infer<typeof versionDocument>;
