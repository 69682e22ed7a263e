import picomatch from 'picomatch';
import { findFileUse } from '#analysis/facts/tool-uses.js';
import { runWithDeadline } from '#analysis/search/deadline.js';
import type { PruneRules } from './guard.js';
import type { Policy } from './policy.js';

/**
 * The protection of a policy, with reasons. `labels` are those of the session, by entry. A pattern without a slash matches a
 * file of that name in any folder, one with a slash for the end of a path unless it begins with one. A slash also stands
 * for the backslash of Windows.
 */
export function buildProtection(
  protect: Policy['protect'],
  labels: ReadonlyMap<unknown, string>,
): PruneRules['protects'] {
  const isTool = buildMatcher(protect.tools);
  const isPath = buildMatcher(protect.paths);
  const isLabel = buildMatcher(protect.labels);
  const roles: ReadonlySet<string> = new Set(protect.roles);
  return ({ kind, from }, uses) => {
    if (roles.has(kind)) return `messages of kind ${kind} are protected`;
    const label = labels.get(from.entryId);
    if (label !== undefined && isLabel(label)) return `entries with the label ${label} are protected`;
    for (const use of uses) {
      if (isTool(use.name)) return `the tool ${use.name} is protected`;
      const path = findFileUse(use)?.path;
      if (path !== undefined && (isPath(path) || isPath(path.replaceAll('\\', '/'))))
        return `the file ${path} is protected`;
    }
    return null;
  };
}

/** The number of steps that a pattern may take without a time limit. */
const FEW_STEPS = 1e6;

/**
 * Whether one of some patterns matches a text. Throws a CtxError (usage) if that takes seconds, as `*a*a*a*b` does with
 * a long name.
 */
function buildMatcher(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map((pattern) => picomatch(...toGlob(pattern.normalize())));
  const most = Math.max(0, ...patterns.map(countRepetitions));
  return (text) => {
    // A letter with an accent has two encodings, and macOS uses the decomposed one in file names.
    const normal = text.normalize();
    const isMatch = (): boolean => matchers.some((matches) => matches(normal));
    const isFast = normal.length ** most < FEW_STEPS;
    return isFast ? isMatch() : runWithDeadline('a pattern of prune.protect', normal.length, isMatch);
  };
}

/** Each may begin at any place of a text, and a group at several. */
function countRepetitions(pattern: string): number {
  return pattern.includes('(') ? Number.MAX_VALUE : (pattern.match(/\*+/g) ?? []).length;
}

/** Replaces the option `basename` of picomatch, which compares a pattern with a slash only with the name of a file. */
function toGlob(pattern: string): [glob: string, options: picomatch.PicomatchOptions] {
  if (!pattern.includes('/')) return [pattern, { dot: true, basename: true }];
  const isFromRoot = /^(?:!|\/|\*\*\/|[a-z]:)/i.test(pattern);
  return [isFromRoot ? pattern : `**/${pattern.replace(/^\.\//, '')}`, { dot: true }];
}
