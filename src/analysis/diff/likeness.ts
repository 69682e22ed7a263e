/** So much of the longer text has to be the same at its beginning and end for it to be the other one, changed. */
const LEAST_SHARE = 0.4;

/** Whether one text looks like another that was edited: cheap, and the same both ways round. */
export function isLikeText(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  const longer = Math.max(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return start + end >= longer * LEAST_SHARE;
}
