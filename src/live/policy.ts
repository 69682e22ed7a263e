import { CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { readConfiguredCount } from '#base/numbers.js';
import type { Policy } from '#change/prune/policy.js';
import type { Configs } from '#platform/files/config-files.js';
import type { PiContext } from './pi.js';

/** The policy of a configuration, and the context window that it sets. */
export interface LivePolicy {
  readonly policy: Policy;
  /** The context window in tokens; null: the window of Pi's model counts. */
  readonly limit: number | null;
}

/**
 * The policy in force: that of the project, if the user trusts it, else that of the user, else the default. Only JSON is
 * read. Throws a CtxError (usage) for an invalid one.
 */
export async function readLivePolicy(
  configs: Pick<Configs, 'findPlain' | 'user'>,
  cwd: string,
  isTrusted: boolean,
): Promise<LivePolicy> {
  const layers = [await configs.user(), isTrusted ? await configs.findPlain(cwd) : null];
  let value: unknown = {};
  let file = '';
  let limit: number | null = null;
  for (const layer of layers) {
    if (layer === null || !isObject(layer.value)) continue;
    if (layer.value.prune !== undefined) {
      value = layer.value.prune;
      file = layer.file;
    }
    limit = readLimit(layer.value.limit, layer.file) ?? limit;
  }
  const { readPolicy } = await import('#change/prune/policy.js');
  return { policy: readPolicy(value, file), limit };
}

function readLimit(value: unknown, where: string): number | null {
  const limit = readConfiguredCount(value);
  if (value === undefined || limit !== null) return limit;
  throw new CtxError('usage', 'limit must be a positive number', {
    where,
    hint: 'write tokens, such as 200000 or "200k"',
  });
}

/**
 * The context window that counts in a running Pi: that of the configuration, else of its model; null if it is unknown.
 */
export function findLiveWindow(ctx: PiContext, { limit }: LivePolicy): number | null {
  return limit ?? findModelWindow(ctx);
}

/** The context window of Pi's model; null if it is unknown. Pi's footer shows the context as a share of it. */
export function findModelWindow({ model }: PiContext): number | null {
  return model && model.contextWindow > 0 ? model.contextWindow : null;
}
