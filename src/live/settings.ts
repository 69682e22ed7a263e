import path from 'node:path';
import * as z from 'zod/mini';
import { CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import { optionalField } from '#base/schema.js';
import type { Configs } from '#platform/files/config-files.js';
import type { FoundConfig } from '#platform/files/load-config.js';

const engineName = z.string().check(z.minLength(1));

/**
 * The key `live` of a configuration: the work of ctx inside a running Pi. Nothing that writes or changes a request is
 * on.
 */
export const liveSchema = z.strictObject({
  transforms: optionalField(
    z.enum(['on', 'off']),
    'Send what the transforms of the branch say (`on`), or what Pi sends without them.',
  ),
  onBrokenTransform: optionalField(
    z.enum(['warn', 'stop']),
    'Send the request as Pi has it with a warning (`warn`), or stop it, if an op breaks a rule.',
  ),
  record: optionalField(
    z.enum(['off', 'differences', 'all']),
    'Record the hash of each sent request in the session: never (`off`), if it differs, or always.',
  ),
  hooks: optionalField(
    z.array(z.string().check(z.minLength(1))),
    'Hook modules that run on each request, relative to the file of the configuration.',
  ),
  onBrokenHook: optionalField(
    z.enum(['warn', 'stop']),
    'Send requests without a hook that has failed, with a warning (`warn`), or stop them until `/reload` (`stop`).',
  ),
  engine: optionalField(
    z.union([engineName, z.strictObject({ name: engineName, set: z.optional(z.record(z.string(), z.string())) })]),
    'The context engine in charge: a built-in one, or a module (`./engine.ts`); `set`: values of the host.',
  ),
  timeLimit: optionalField(
    z.number().check(z.positive()),
    'Seconds for loading a hook or an engine module, and for each call (10).',
  ),
  gate: optionalField(
    z.enum(['off', 'on']),
    'Prune or compact when the policy of `prune` asks for it at the end of a turn (`on`).',
  ),
  statusLine: optionalField(z.boolean(), 'Show the status line (true).'),
});

type LiveConfig = z.infer<typeof liveSchema>;
export type LiveSettings = {
  readonly [Key in Exclude<keyof LiveConfig, 'engine'>]-?: Exclude<LiveConfig[Key], undefined>;
} & {
  /** null: Pi's own context. */
  readonly engine: { readonly name: string; readonly set: readonly string[] } | null;
};

export const DEFAULT_LIVE_SETTINGS: LiveSettings = {
  transforms: 'on',
  onBrokenTransform: 'warn',
  record: 'off',
  hooks: [],
  onBrokenHook: 'warn',
  engine: null,
  timeLimit: 10,
  gate: 'off',
  statusLine: true,
};

/** The folder of a project, and whether the user trusts it. */
export interface ProjectFolder {
  readonly cwd: string;
  readonly isTrusted: boolean;
}

/**
 * The settings in force: those of the project over those of the user over the defaults. Only JSON is read, and a
 * project's only if it is trusted. Throws a CtxError (usage) for an invalid configuration.
 */
export async function readLiveSettings(
  configs: Pick<Configs, 'findPlain' | 'user'>,
  place: ProjectFolder,
): Promise<LiveSettings> {
  const layers = [await configs.user(), place.isTrusted ? await configs.findPlain(place.cwd) : null];
  return Object.assign(
    {},
    DEFAULT_LIVE_SETTINGS,
    ...layers.map((layer) => (layer ? readConfiguredSettings(layer, place) : {})),
  );
}

function readConfiguredSettings({ file, value }: FoundConfig, { cwd }: ProjectFolder): Partial<LiveSettings> {
  if (!isObject(value) || value.live === undefined) return {};
  const read = liveSchema.safeParse(value.live);
  if (read.success) return mergeSettings(read.data, path.dirname(file));
  const where = path.relative(cwd, file);
  throw new CtxError('usage', `live: ${describeIssue(read.error)}`, { where, hint: 'repair the key "live"' });
}

/** The settings of a file in a folder; modules have full paths. */
function mergeSettings({ engine, hooks, ...others }: LiveConfig, folder: string): Partial<LiveSettings> {
  const { name, set = {} } = typeof engine === 'object' ? engine : { name: engine };
  const given = {
    ...others,
    hooks: hooks?.map((file) => path.resolve(folder, file)),
    engine: name && {
      name: resolveModule(folder, name),
      set: Object.entries(set).map(([key, text]) => `${key}=${text}`),
    },
  };
  return Object.fromEntries(Object.entries(given).filter(([, setting]) => setting !== undefined));
}

/** A name with a slash or a dot is a file; any other one is a built-in engine. */
function resolveModule(folder: string, name: string): string {
  return /[./\\]/.test(name) ? path.resolve(folder, name) : name;
}
