import picomatch from 'picomatch';
import { fileOf } from '#analysis/facts/tool-uses.js';
import type { Rules } from './guard.js';
import type { Policy } from './policy.js';

/**
 * What a policy protects, and why. `labels` are those of the session, by entry. A pattern without a slash stands for a
 * file of that name in any folder, one with a slash for the end of a path unless it begins with one. A slash also stands
 * for the backslash of Windows.
 */
export function protectionBy(protect: Policy['protect'], labels: ReadonlyMap<unknown, string>): Rules['protects'] {
  const isTool = matcher(protect.tools);
  const isPath = matcher(protect.paths);
  const isLabel = matcher(protect.labels);
  const roles: ReadonlySet<string> = new Set(protect.roles);
  return ({ kind, from }, uses) => {
    if (roles.has(kind)) return `messages of the kind ${kind} are protected`;
    const label = labels.get(from.entryId);
    if (label !== undefined && isLabel(label)) return `entries with the label ${label} are protected`;
    for (const use of uses) {
      if (isTool(use.name)) return `the tool ${use.name} is protected`;
      const path = fileOf(use)?.path;
      if (path !== undefined && (isPath(path) || isPath(path.replaceAll('\\', '/'))))
        return `the file ${path} is protected`;
    }
    return null;
  };
}

/** Whether one of some patterns matches a text. */
function matcher(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map((pattern) => picomatch(...globOf(pattern.normalize())));
  return (text) => {
    // A letter with an accent can be written in two ways, of which macOS takes the other one for names of files.
    const normal = text.normalize();
    return matchers.some((isMatch) => isMatch(normal));
  };
}

/** Of a pattern with a slash, picomatch would compare only the name of the file if it was told to look at names. */
function globOf(pattern: string): [glob: string, options: picomatch.PicomatchOptions] {
  if (!pattern.includes('/')) return [pattern, { dot: true, basename: true }];
  const isFromRoot = /^(?:!|\/|\*\*\/|[a-z]:)/i.test(pattern);
  return [isFromRoot ? pattern : `**/${pattern.replace(/^\.\//, '')}`, { dot: true }];
}
