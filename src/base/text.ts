/** The first `most` code units of a text. No character is split. */
export function sliceStart(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** A text of at most `most` code units, with `…` for the rest. */
export function truncate(text: string, most: number): string {
  return text.length <= most ? text : `${sliceStart(text, most)}…`;
}

/** Whether a place is in the middle of a character of two code units. */
export function isInsideSurrogatePair(text: string, place: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, place - 1), place + 1));
}

/** The names in a list that is separated by commas. */
export function splitNames(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Compares texts by their code units, for a sort. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
