import type { FoundFault } from '../copy.js';
import { isOlder } from '../versions.js';

/**
 * The first of the tried versions (2.0.76, 2.1.237, 2.1.290, 2.1.332) that goes on in spite of a fault, by the rule that finds
 * it: it leaves the part out, at once or after a refusal.
 */
const OVERCOME_SINCE: ReadonlyMap<string, string> = new Map([
  ['orphan', '2.1.237'],
  ['result-without-call', '2.1.237'],
  ['call-without-result', '2.1.237'],
  ['lost-signature', '2.1.237'],
  ['thinking-at-end', '2.1.237'],
  ['duplicate-call-id', '2.1.237'],
  ['empty-content', '2.1.237'],
  ['unsupported-image', '2.1.237'],
  ['empty-tool-result', '2.1.290'],
  // It compacts by itself until the request fits.
  ['usage-above-window', '2.1.290'],
]);

/** Damaged lines, and calls at the end, which no version minds. */
const HARMLESS =
  /^(?:open-call|torn-tail|malformed-line|glued-lines|nul-bytes|not-an-object|invalid-utf8|line-too-long|split-line)$/;

/** Whether Claude Code of a version, or a newer one, goes on in spite of a fault. */
export function overcomesFault({ rule, cause }: FoundFault, version: string | null): boolean {
  if (HARMLESS.test(rule)) return true;
  // All of them refuse by themselves to send an image of more than 5 MB, or leave an answer that is only thinking.
  const since = cause === undefined ? OVERCOME_SINCE.get(rule) : undefined;
  return since !== undefined && version !== null && !isOlder(version, since);
}
