import type { Finding } from '../checks/define.js';
import { UNREADABLE } from '../checks/checked-file.js';
import { VERSION } from '../version.js';

/** What is wrong and where in the entry. */
export function messageOf({ message, place }: Finding): string {
  return place === null ? message : `${message} (${place})`;
}

/** The page of a rule, as it was published with this version. */
export function pageOf(rule: string): string {
  const page = rule === UNREADABLE ? 'check.md' : `rules/${rule}.md`;
  return `https://unpkg.com/pi-ctx@${VERSION}/docs/${page}`;
}
