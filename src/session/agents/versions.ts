import { asString } from '#base/json.js';
import type { Recorded, RecordedParts } from './define.js';

/** The parts of a file that records neither the prompt nor the tools. */
export function buildPartsWithoutPrompt(hasUsage: boolean): RecordedParts {
  const usage = hasUsage ? 'recorded' : 'missing';
  return { system: 'missing', tools: 'missing', messages: 'recorded', compactions: 'recorded', usage };
}

/** Returns the parts of a session whose version may follow other rules for requests than the replay does. */
export function doubtParts(parts: RecordedParts): RecordedParts {
  return { ...parts, messages: doubtPart(parts.messages), compactions: doubtPart(parts.compactions) };
}

function doubtPart(part: Recorded): Recorded {
  return part === 'recorded' ? 'approximate' : part;
}

/** Whether a version is in a range of `major.minor`, with both ends. */
export function isVersionWithin(
  version: string | null,
  [first, last]: readonly [first: string, last: string],
): boolean {
  const place = toComparable(version ?? '');
  return place >= toComparable(first) && place <= toComparable(last);
}

/** A number that is larger for a later version; NaN for a text that is no version. */
function toComparable(version: string): number {
  const [, major, minor] = /^v?(\d{1,6})\.(\d{1,6})(?:\.|$|-)/.exec(version) ?? [];
  return Number(major) * 1e6 + Number(minor);
}

/** Whether a version such as `2.1.290` is older than another one; not if it is no version. */
export function isOlder(version: unknown, than: string): boolean {
  const one = parseVersion(asString(version) ?? '');
  const other = parseVersion(than);
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? NaN) < (other[at] ?? 0);
}

function parseVersion(version: string): readonly number[] {
  return version.split('.', 3).map(Number);
}
