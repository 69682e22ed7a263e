export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The position of the quote that ends the string whose content begins at `start`. */
export function findStringEnd(json: Uint8Array, start: number): number {
  for (let at = json.indexOf(QUOTE, start); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}
