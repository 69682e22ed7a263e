import { UNREADABLE } from '#analysis/check/checked-file.js';
import type { Finding } from '#analysis/check/define.js';
import { VERSION } from '#base/version.js';

/** What is wrong and where in the entry. */
export function messageOf({ message, place }: Finding): string {
  return place === null ? message : `${message} (${place})`;
}

/** The page of a rule, as it was published with this version. */
export function pageOf(rule: string): string {
  const page = rule === UNREADABLE ? 'check.md' : `rules/${rule}.md`;
  return `https://unpkg.com/pi-ctx@${VERSION}/docs/${page}`;
}
