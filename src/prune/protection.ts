import picomatch from 'picomatch';
import { fileOf } from '../facts/tool-uses.js';
import type { Rules } from './guard.js';
import type { Policy } from './policy.js';

/**
 * What a policy protects, and why. `labels` are those of the session, by entry. A pattern of a path without a slash
 * stands for a file of that name in any folder.
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
      if (path !== undefined && isPath(path)) return `the file ${path} is protected`;
    }
    return null;
  };
}

function matcher(patterns: readonly string[]): (text: string) => boolean {
  return patterns.length === 0 ? () => false : picomatch([...patterns], { dot: true, basename: true });
}
