import { count, percent, shortCount } from '#base/words.js';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { BY_CHARACTERS, shares } from '#context/replay/tokens.js';

type Known = Pick<ContextSize, 'tokens' | 'estimated'>;

/** A context size; an estimate, in whole or in part, has a mark. */
export function sizeText(size: Known): string {
  return `${markOf(size)}${count(size.tokens)}`;
}

/** A context size as a short number. */
export function shortSizeText(size: Known): string {
  return `${markOf(size)}${shortCount(size.tokens)}`;
}

function markOf({ estimated }: Known): string {
  return estimated === 0 ? '' : '~';
}

interface About {
  readonly model: ContextEnvelope['meta']['model'];
  /** The name of the method that the factor multiplies. */
  readonly method?: string;
}

/** The parts of a context size, recorded and estimated, with the error of the estimate. */
export function sizeSource(
  { recorded, estimated, factor, error, method }: Omit<ContextSize, 'tokens' | 'notItemised'>,
  { model, method: name = BY_CHARACTERS.name }: About,
): string {
  const rate = `${factor.toFixed(2)} × ${name}`;
  switch (method) {
    case 'recorded':
      return 'recorded';
    case 'appended':
      return `${count(recorded)} recorded; ~${changeText(estimated)} since (${rate}${errorText(error)})`;
    case 'changed':
      return `${count(recorded)} recorded; ~${changeText(estimated)} since (${rate})`;
    case 'family':
      return `estimated, ${rate} for ${model?.modelId ?? 'the model'}`;
    case 'median':
      return `estimated, ${rate}, the median of measured models`;
    case 'tokenizer':
      return `estimated (${name})`;
  }
}

function errorText(error: number | null): string {
  if (error === null) return '';
  return `, off by ${error < 0.001 ? '<0.1' : (error * 100).toFixed(1)}% at earlier requests`;
}

function changeText(estimated: number): string {
  return `${count(Math.abs(estimated))} ${estimated < 0 ? 'removed' : 'added'}`;
}

/** The share of a context size that each part of the envelope has; null for a part that is not recorded. */
export interface SizeShares {
  readonly system: number | null;
  readonly tools: number | null;
  readonly cached: number;
  readonly uncached: number;
  /** Of parts that are not recorded; null where no provider counted a request with them. */
  readonly notItemised: number | null;
}

type Sized = Pick<ContextEnvelope['meta'], 'tokens' | 'size' | 'sources'>;

/** Shares that add up to the size. */
export function sizeShares({ tokens, size, sources }: Sized): SizeShares {
  const rest = size.notItemised ?? 0;
  const weights = [tokens.system, tokens.tools, tokens.cached, tokens.uncached];
  const [system = 0, tools = 0, cached = 0, uncached = 0] = shares(weights, size.tokens - rest);
  const isPart = size.notItemised !== null;
  return {
    system: sources.system === 'unknown' ? null : system,
    tools: sources.tools === 'unknown' ? null : tools,
    cached,
    uncached,
    notItemised: isPart ? size.tokens - system - tools - cached - uncached : null,
  };
}

/** The shares of two sizes: a part that is alike in both has one share, and the change is split among what changed. */
export function sharesOfBoth(before: Sized, after: Sized): readonly [before: SizeShares, after: SizeShares] {
  const [was, own] = [sizeShares(before), sizeShares(after)];
  const grown = after.tokens.total - before.tokens.total;
  const change = after.size.tokens - before.size.tokens;
  const rate = grown === 0 ? 1 : change / grown;
  const of = (name: 'system' | 'tools' | 'uncached'): number | null => {
    const share = was[name];
    return share === null ? null : share + Math.round(rate * (after.tokens[name] - before.tokens[name]));
  };
  const [system, tools, uncached] = [of('system'), of('tools'), of('uncached') ?? 0];
  const cached = after.size.tokens - (system ?? 0) - (tools ?? 0) - uncached - (was.notItemised ?? 0);
  const next = { system, tools, cached, uncached, notItemised: was.notItemised };
  const isAlike = NAMES.every((name) => (was[name] === null) === (own[name] === null));
  const isSound = rate > 0 && Object.values(next).every((share) => share === null || share >= 0);
  return [was, isAlike && isSound && (grown !== 0 || change === 0) ? next : own];
}

const NAMES = ['system', 'tools', 'notItemised'] as const;

/** The used share of the context window; empty if the window is unknown. */
export function usedText(
  { tokens }: Pick<ContextSize, 'tokens'>,
  limit: number | null,
  isAssumed: boolean = false,
): string {
  const note = isAssumed ? ', assumed' : '';
  return limit === null ? '' : ` of ${shortCount(limit)} tokens (${percent(tokens, limit)}${note})`;
}
