import type { Session } from '../session.js';
import type { Head } from '../table/head.js';

/** The entry that stands in a line. Entries stand in the order of their lines. */
export function headAtLine({ tree: { heads } }: Session, line: number): Head | undefined {
  let low = 0;
  let high = heads.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (heads.lineAt(middle) < line) low = middle + 1;
    else high = middle;
  }
  const head = heads.at(low);
  return head?.line === line ? head : undefined;
}
