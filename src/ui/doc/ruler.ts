import { isPlain } from '#base/visible.js';

/** Measures, cuts and wraps text in terminal cells. */
export interface Ruler {
  widthOf(text: string): number;
  /** Whether a text has at most this number of cells. A much longer one is not measured, which would take very long. */
  fits(text: string, cells: number): boolean;
  /** The text, cut to a number of cells with an ellipsis where it is longer. Never cuts a character apart. */
  cutTo(text: string, cells: number): string;
  /** The text, cut like `cutTo` but at its beginning: names of files differ at their ends. */
  cutStart(text: string, cells: number): string;
  /** The longest beginning of a text that fits, in whole characters; empty where not even one fits. */
  startOf(text: string, cells: number): string;
  padTo(text: string, cells: number, align: 'left' | 'right'): string;
  /**
   * Wraps a line at spaces, at `cells` cells, and drops those spaces. A longer word is split, after a slash if it has
   * one.
   */
  wrap(text: string, cells: number): readonly string[];
}

/**
 * Characters that take one cell each and combine with nothing: Latin, Greek, Cyrillic, and the signs we print
 * ourselves.
 */
const NARROW =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u0482\u048a-\u0556–—‘’“”•…←→⏎─│└├┤┼●○█░␀-␡]*$/;

/** Whether each character takes one cell. There is none among them that a terminal obeys or does not show. */
export function isNarrow(text: string): boolean {
  return isPlain(text) || NARROW.test(text);
}

const ELLIPSIS = '…';
const MOST_UNITS_OF_A_CELL = 32;

/**
 * A ruler for these texts. The tables that wide and combining characters need are loaded only where there are some,
 * and what wraps only where it is asked for: without it, `wrap` gives a text back as it is.
 */
export async function loadRuler(texts: Iterable<string>, wraps = false): Promise<Ruler> {
  const wrapWords = wraps ? (await import('fast-wrap-ansi')).wrapAnsi : null;
  for (const text of texts) {
    if (isNarrow(text)) continue;
    const { default: stringWidth } = await import('string-width');
    return createRuler((wide) => (isNarrow(wide) ? wide.length : stringWidth(wide)), wrapWords);
  }
  return createRuler(({ length }) => length, wrapWords);
}

function createRuler(widthOf: Ruler['widthOf'], wrapWords: ((text: string, cells: number) => string) | null): Ruler {
  const startOf = (text: string, cells: number): string => {
    const start = isNarrow(text) ? text.slice(0, Math.max(0, cells)) : cutWide(text, cells, widthOf);
    return start.replace(/[\ud800-\udbff]$/, '');
  };
  function* pieces(line: string, cells: number): Generator<string> {
    // The rest is not measured: that would take as long for each piece as for all.
    for (let rest = line, isFirst = true; rest !== '' || isFirst; isFirst = false) {
      const piece = cutAfterSlash(startOf(limitLength(rest, cells), cells) || takeFirstCharacter(rest), rest);
      yield piece;
      rest = rest.slice(piece.length);
    }
  }
  const fits = (text: string, cells: number): boolean => limitLength(text, cells) === text && widthOf(text) <= cells;
  return {
    widthOf,
    fits,
    cutTo(text, cells) {
      if (fits(text, cells)) return text;
      return cells <= 0 ? '' : startOf(limitLength(text, cells), cells - 1) + ELLIPSIS;
    },
    cutStart(text, cells) {
      if (fits(text, cells)) return text;
      return cells <= 0 ? '' : ELLIPSIS + takeEnd(text, cells - 1, widthOf);
    },
    startOf: (text, cells) => startOf(limitLength(text, cells), cells),
    padTo(text, cells, align) {
      const units = text.length + cells - widthOf(text);
      return align === 'left' ? text.padEnd(units) : text.padStart(units);
    },
    wrap(text, cells) {
      const most = Math.max(1, cells);
      // The library would split characters that consist of several code points.
      return wrapWords === null
        ? [text]
        : wrapWords(text, most)
            .split('\n')
            .flatMap((line) => [...pieces(line, most)]);
    },
  };
}

/**
 * A piece of a text, cut after its last slash unless it is all: `provider/model;` must not lose only its last
 * character.
 */
function cutAfterSlash(piece: string, text: string): string {
  const at = piece.lastIndexOf('/') + 1;
  return piece !== text && at > piece.length / 3 ? piece.slice(0, at) : piece;
}

/** The longest end of a text that fits, in whole characters. */
function takeEnd(text: string, cells: number, widthOf: (text: string) => number): string {
  const characters = [...new Intl.Segmenter().segment(text.slice(-MOST_UNITS_OF_A_CELL * cells - 1))];
  let from = text.length;
  let left = cells;
  for (const { segment } of characters.slice(1).toReversed()) {
    left -= widthOf(segment);
    if (left < 0) break;
    from -= segment.length;
  }
  return text.slice(from);
}

/** A cell holds a few code units at most; a text many times as long is not looked at as a whole. */
function limitLength(text: string, cells: number): string {
  const most = Math.max(0, cells) * MOST_UNITS_OF_A_CELL;
  return text.length > most ? text.slice(0, most) : text;
}

/** One that is wider than a whole line still has to be printed. */
function takeFirstCharacter(text: string): string {
  const [first] = new Intl.Segmenter().segment(text.slice(0, MOST_UNITS_OF_A_CELL));
  return first?.segment ?? text;
}

function cutWide(text: string, cells: number, widthOf: (text: string) => number): string {
  let cut = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += widthOf(segment);
    if (width > cells) break;
    cut += segment;
  }
  return cut;
}
