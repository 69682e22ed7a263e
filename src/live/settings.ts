import path from 'node:path';
import * as z from 'zod/mini';
import { CtxError } from '#base/errors.js';
import { explain } from '#base/explain.js';
import { isObject } from '#base/json.js';
import type { Configs, FoundConfig } from '#platform/files/config-files.js';

/** The key `live` of a configuration: the work of ctx inside a running Pi. Nothing that writes or changes a request is on. */
export const liveSchema = z.strictObject({
  transforms: z.optional(
    z
      .enum(['on', 'off'])
      .check(z.describe('Send what the transforms of the branch say (`on`), or what Pi sends without them.')),
  ),
  onBrokenTransform: z.optional(
    z
      .enum(['warn', 'stop'])
      .check(z.describe('Send the request as Pi has it with a warning (`warn`), or stop it, if an op breaks a rule.')),
  ),
  record: z.optional(
    z
      .enum(['off', 'differences', 'all'])
      .check(
        z.describe('Record the hash of each sent request in the session: never (`off`), if it differs, or always.'),
      ),
  ),
  commands: z.optional(z.boolean().check(z.describe('Register `/ctx` and `/ctx-status` (true).'))),
  statusLine: z.optional(z.boolean().check(z.describe('Show the status line (true).'))),
});

type Given = z.infer<typeof liveSchema>;
export type LiveSettings = { readonly [Key in keyof Given]-?: Exclude<Given[Key], undefined> };

export const DEFAULTS: LiveSettings = {
  transforms: 'on',
  onBrokenTransform: 'warn',
  record: 'off',
  commands: true,
  statusLine: true,
};

/** The folder of a project, and whether the user trusts it. */
export interface Place {
  readonly cwd: string;
  readonly isTrusted: boolean;
}

/**
 * The settings in force: those of the project over those of the user over the defaults. Only JSON is read, and a
 * project's only if it is trusted. Throws a CtxError (usage) for an invalid configuration.
 */
export async function readSettings(configs: Pick<Configs, 'findPlain' | 'user'>, place: Place): Promise<LiveSettings> {
  const layers = [await configs.user(), place.isTrusted ? await configs.findPlain(place.cwd) : null];
  return Object.assign({}, DEFAULTS, ...layers.map((layer) => (layer ? settingsIn(layer, place) : {})));
}

function settingsIn({ file, value }: FoundConfig, { cwd }: Place): Partial<LiveSettings> {
  if (!isObject(value) || value['live'] === undefined) return {};
  const read = liveSchema.safeParse(value['live']);
  if (read.success) return Object.fromEntries(Object.entries(read.data).filter(([, setting]) => setting !== undefined));
  const where = path.relative(cwd, file);
  throw new CtxError('usage', `live: ${explain(read.error)}`, { where, hint: 'repair the key "live"' });
}
