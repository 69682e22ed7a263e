import { sumNumbers } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import { addToKind } from '../contents/contents.js';
import { CONTENT_KINDS } from '../contents/kinds.js';
import { type MeasuredSize, type SizeParts, splitSize } from './split-size.js';

/** Estimated tokens by kind of content, in the order of `CONTENT_KINDS`. */
export interface KindWeights {
  /** The weights of the system prompt and of the tools, which are the only ones of their kind. */
  readonly declared: readonly number[];
  readonly messages: readonly number[];
}

/**
 * Divides a measured size by kind in proportion to estimates. The last number is what the session does not record; all
 * numbers add up to the size.
 */
export function scaleKinds({ declared, messages }: KindWeights, size: MeasuredSize): readonly number[] {
  const { system, tools, cached, notItemised } = splitKinds({ declared, messages }, size);
  const ofSystem = splitInProportion(clearTools(declared), system);
  const ofMessages = splitInProportion(messages, cached);
  const sums = ofSystem.map((tokens, at) => tokens + (ofMessages[at] ?? 0));
  addToKind(sums, 'tools', tools);
  return [...sums, notItemised ?? 0];
}

/** The parts of a size whose estimates are given by kind. */
export function splitKinds({ declared, messages }: KindWeights, size: MeasuredSize): SizeParts {
  const system = sumNumbers(clearTools(declared));
  const tools = sumNumbers(declared) - system;
  return splitSize(size, { system, tools, cached: sumNumbers(messages), uncached: 0 });
}

function clearTools(declared: readonly number[]): readonly number[] {
  return declared.map((tokens, at) => (CONTENT_KINDS[at] === 'tools' ? 0 : tokens));
}
