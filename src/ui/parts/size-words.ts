import { formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import type { ContextEnvelope, ContextSize, RequestModel } from '#context/replay/envelope.js';
import type { Share } from '#context/size/composition.js';
import { type SizeParts, splitSize } from '#context/size/split-size.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import type { AgentOrigin } from '#session/agents/define.js';

type SizeNumbers = Pick<ContextSize, 'tokens' | 'estimated'>;

/** A context size; an estimate, in whole or in part, has a mark. */
export function formatSize(size: SizeNumbers): string {
  return `${formatMark(size)}${formatCount(size.tokens)}`;
}

/** A context size as a short number. */
export function formatShortSize(size: SizeNumbers): string {
  return `${formatMark(size)}${formatShortCount(size.tokens)}`;
}

function formatMark({ estimated }: SizeNumbers): string {
  return estimated === 0 ? '' : '~';
}

/** The share that a single message, part or tool has of the size of a context. No provider counts it alone. */
export function formatShare({ tokens }: Pick<Share, 'tokens'>): string {
  return `~${pluralize(tokens, 'token')}`;
}

interface SizeMethod {
  readonly model: RequestModel;
  /** The name of the method that the factor multiplies. */
  readonly method?: string;
}

/** The parts of a context size, recorded and estimated, with the error of the estimate. */
export function describeSizeSource(
  { recorded, estimated, factor, error, method }: Omit<ContextSize, 'tokens' | 'notItemised' | 'declaredFactor'>,
  { model, method: name = BY_CHARACTERS.name }: SizeMethod,
): string {
  const rate = `${factor.toFixed(2)} × ${name}`;
  const change = `${formatCount(Math.abs(estimated))} ${estimated < 0 ? 'removed' : 'added'}`;
  const parts = `${formatCount(recorded)} recorded; ~${change} since`;
  const notes = name === BY_CHARACTERS.name ? describeError(error) : [...describeError(error), rate];
  switch (method) {
    case 'recorded':
      return 'recorded';
    case 'derived':
      return 'derived from the totals that the session records';
    case 'appended':
    case 'changed':
      return `${parts}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
    case 'family':
      return `estimated, ${rate} for ${model?.modelId ?? 'the model'}`;
    case 'median':
      return `estimated, ${rate}, the median of measured models`;
    case 'tokenizer':
      return `estimated (${name})`;
  }
}

/** The share of a size by which the estimate is off. One that is off by the whole size has no accuracy to print. */
function describeError(error: number | null): readonly string[] {
  if (error === null) return [];
  if (error >= 1) return ['only a rough estimate'];
  return [`error ${error < 0.001 ? '<0.1' : (error * 100).toFixed(1)}%`];
}

/** The tokens of the parts of a context, which add up to its size; null for a part that is not recorded. */
export type SizeShares = Omit<SizeParts, 'system' | 'tools'> & {
  readonly system: number | null;
  readonly tools: number | null;
};

export function toSizeShares({
  tokens,
  size,
  sources,
}: Pick<ContextEnvelope['meta'], 'tokens' | 'size' | 'sources'>): SizeShares {
  const parts = splitSize(size, tokens);
  return {
    ...parts,
    system: sources.system === 'unknown' ? null : parts.system,
    tools: sources.tools === 'unknown' ? null : parts.tools,
  };
}

/** The used share of the context window; empty if the window is unknown. */
export function describeWindowUse(
  { tokens }: Pick<ContextSize, 'tokens'>,
  limit: number | null,
  isAssumed: boolean,
): string {
  const note = isAssumed ? ', assumed' : '';
  return limit === null ? '' : ` of ${formatShortCount(limit)} tokens (${formatPercent(tokens, limit)}${note})`;
}

/** The agent, and the parts of the context that it records, then those that are approximate or missing. */
export function describeAgentParts({
  title,
  version,
  parts,
}: Pick<AgentOrigin, 'title' | 'version' | 'parts'>): string {
  const groups = (['recorded', 'approximate', 'missing'] as const).flatMap((coverage) => {
    const names = Object.keys(parts).filter((name) => parts[name as keyof typeof parts] === coverage);
    const label = coverage === 'recorded' ? 'records' : `${coverage}:`;
    return names.length === 0 ? [] : [`${label} ${names.join(', ')}`];
  });
  return `${title}${version === null ? '' : ` ${version}`} ${groups.join('; ')}`;
}
