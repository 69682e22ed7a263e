import type { LossDocument } from '#analysis/loss/document.js';
import { FACT_CLASSES } from '#analysis/loss/fact-classes.js';
import { CtxError } from '#base/errors.js';
import type { Flag } from '../flags.js';

/** Entries that no summary has. */
export const NO_SUMMARY = 'no-summary';

const FAILURES: readonly string[] = [NO_SUMMARY, ...FACT_CLASSES];

/** The losses for which the exit code is 1. */
export const failOnFlag: Flag<readonly string[]> = {
  placeholder: 'WHAT',
  list: FAILURES,
  help: `exit with 1 if some of it is lost, separated by commas: ${FAILURES.join(', ')}`,
  parse(raw) {
    const names = raw.split(',').map((name) => name.trim());
    const unknown = names.find((name) => !FAILURES.includes(name));
    if (unknown === undefined) return names;
    throw new CtxError('usage', `"${unknown}" is nothing to fail on`, { hint: `choose from ${FAILURES.join(', ')}` });
  },
};

/** Tests whether something is lost that `--fail-on` names. */
export function isLost({ counts, facts, path }: LossDocument, name: string): boolean {
  if (name === NO_SUMMARY) return counts.unaccounted > 0;
  return [...facts, ...(path?.facts ?? [])].some(
    ({ class: factClass, mention }) => factClass === name && mention === 'missing',
  );
}
