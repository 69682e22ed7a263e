import type { Span } from './doc.js';
import type { Ruler } from './ruler.js';

/** Below this number of cells, a folder begins a line of its own. */
const LEAST_FOLDER = 24;

/**
 * The path of a file that is too long for a line, with its name before its folder: names differ, and the id in a name is
 * what other commands take. A long folder is shortened in its middle. null if the name alone does not fit. `cells`: those
 * left of the line; `below`: those of a line below it.
 */
export function putNameFirst(
  { text, file, tone }: Span,
  cells: number,
  below: number,
  ruler: Ruler,
): readonly Span[] | null {
  const { name, folder } = splitPath(text);
  if (folder === '' || !ruler.fits(name, cells)) return null;
  const beside = cells - ruler.widthOf(`${name} in `);
  const isBelow = beside < LEAST_FOLDER || (!ruler.fits(folder, beside) && ruler.fits(folder, below));
  const link = file === undefined ? {} : { file };
  return [
    { text: name, tone, ...link },
    { text: ' in ', tone },
    { text: cutMiddle(folder, isBelow ? below : beside, ruler), tone },
  ];
}

const NAME_FIRST = /^([^/]+\.\w+) in (.+)$/;

/** Whether a text is a path with its name first. */
export function isNameFirst(text: string): boolean {
  return NAME_FIRST.test(text);
}

/** Parses a path, or a path with its name first. */
function splitPath(text: string): { readonly name: string; readonly folder: string } {
  const [, first, rest] = NAME_FIRST.exec(text) ?? [];
  if (first !== undefined && rest !== undefined) return { name: first, folder: rest };
  const end = text.lastIndexOf('/');
  return { name: text.slice(end + 1), folder: text.slice(0, Math.max(0, end)) };
}

/** A path without its middle. More is left of its end, in which folders differ. */
function cutMiddle(folder: string, cells: number, ruler: Ruler): string {
  if (ruler.fits(folder, cells)) return folder;
  const start = ruler.startOf(folder, Math.floor(cells / 3));
  const first = start.slice(0, start.lastIndexOf('/') + 1);
  return first + ruler.cutStart(folder, cells - ruler.widthOf(first));
}
