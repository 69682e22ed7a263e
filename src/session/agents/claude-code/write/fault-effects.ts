import type { FaultEffect, FoundFault } from '../../faults.js';
import { isOlder } from '../../versions.js';

/** The versions between which a fault lost its effect. */
interface TriedVersions {
  /** The newest tried version that it stops; null if none was tried. */
  readonly stopped: string | null;
  /** The oldest version that goes on: it leaves the part out, at once or after a refusal. */
  readonly since: string;
}

const EARLY: TriedVersions = { stopped: '2.0.76', since: '2.1.237' };

/** The versions that were tried, by the rule that finds a fault and its cause: 2.0.76, 2.1.237, 2.1.290 and 2.1.332. */
const TRIED: ReadonlyMap<string, TriedVersions> = new Map([
  // Older ones never end in a circle of parents.
  ['orphan, circle', EARLY],
  ['result-without-call', EARLY],
  ['call-without-result', EARLY],
  ['lost-signature', EARLY],
  ['thinking-at-end', EARLY],
  ['duplicate-call-id', EARLY],
  ['empty-content', EARLY],
  // Claude answers so, and recorded sessions of this version go on after it.
  ['empty-content, blank part', { stopped: null, since: '2.1.38' }],
  ['unsupported-image', EARLY],
  ['unsupported-document', EARLY],
  ['half-surrogate-pair', EARLY],
  ['empty-tool-result', EARLY],
  ['empty-tool-result, empty text', { stopped: '2.1.237', since: '2.1.290' }],
  // The client compacts by itself until the request fits.
  ['usage-above-window', { stopped: '2.1.237', since: '2.1.290' }],
]);

/**
 * The rules for damaged lines, calls at the end and missing parents. Every version goes on with a session that has
 * these.
 */
const HARMLESS =
  /^(?:open-call|orphan|torn-tail|malformed-line|glued-lines|nul-bytes|not-an-object|invalid-utf8|line-too-long|split-line)$/;

/** Finds the effect of a fault on Claude Code of a version. */
export function findFaultEffect({ rule, cause }: FoundFault, version: string | null): FaultEffect {
  const fault = cause === undefined ? rule : `${rule}, ${cause}`;
  if (HARMLESS.test(fault)) return 'goes on';
  const tried = TRIED.get(fault);
  // All of them refuse by themselves to send an image of more than 5 MB, or leave an answer that is only thinking.
  if (!tried) return 'stops';
  if (version === null) return 'untried';
  if (!isOlder(version, tried.since)) return 'goes on';
  return tried.stopped === null || isOlder(tried.stopped, version) ? 'untried' : 'stops';
}

/** Whether Claude Code of a version sends only what follows a record whose parent is not in the file. */
export function startsAtOrphan(version: string | null): boolean {
  return version !== null && isOlder(version, '2.1.237');
}
