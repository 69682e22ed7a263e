import stringWidth from 'string-width';

const PRINTABLE_ASCII = /^[ -~]*$/;
const ELLIPSIS = '…';

/** Terminal cells that a text takes. */
export function widthOf(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** The text, cut to a number of cells with an ellipsis where it is longer. Never cuts a character apart. */
export function cutTo(text: string, cells: number): string {
  if (text.length <= cells && widthOf(text) <= cells) return text;
  if (cells <= 1) return cells === 1 ? ELLIPSIS : '';
  if (PRINTABLE_ASCII.test(text.slice(0, cells))) return text.slice(0, cells - 1) + ELLIPSIS;
  let cut = '';
  let width = 0;
  // A cell holds at most a few code units; what lies far behind the end is not looked at.
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, cells * 16))) {
    width += widthOf(segment);
    if (width > cells - 1) break;
    cut += segment;
  }
  return cut + ELLIPSIS;
}

export function padTo(text: string, cells: number, align: 'left' | 'right'): string {
  const padding = ' '.repeat(Math.max(0, cells - widthOf(text)));
  return align === 'left' ? text + padding : padding + text;
}
