import { type CacheOptions, DEFAULTS } from '#analysis/cache/recorded.js';
import { type FlagValues, minutes, number, positive } from '../flags.js';

/** The caching rules of a provider. */
export const cacheFlags = {
  block: positive('TOKENS', `the size of the blocks that the provider caches (default ${DEFAULTS.block}; OpenAI: 128)`),
  minimum: number('TOKENS', `the shortest prompt that the provider caches (default ${DEFAULTS.minimum})`),
  retention: minutes(
    `the lifetime of the prompt cache, such as 5m or 1h; without a unit, in minutes (default ${DEFAULTS.retention}m; 1h for extended caching)`,
  ),
};

export function cacheOptionsOf({ block, minimum, retention }: FlagValues<typeof cacheFlags>): CacheOptions {
  return {
    block: block ?? DEFAULTS.block,
    minimum: minimum ?? DEFAULTS.minimum,
    retention: retention ?? DEFAULTS.retention,
  };
}
