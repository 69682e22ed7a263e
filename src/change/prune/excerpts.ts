import { truncateText } from '#analysis/facts/text.js';
import { describeShape, readJsonText } from './json-shape.js';
import { readSearchHits, type SearchHit } from './search-hits.js';
import type { ToolKind } from './tool-kinds.js';

/** The part of a long text that stays. */
export interface Excerpt {
  /** A description in a few words: `First 10 of 400 lines`. */
  readonly what: string;
  readonly text: string;
}

export interface ExcerptSize {
  /** The length in UTF-16 code units. */
  readonly characters: number;
  /** Results of a search, or lines. */
  readonly lines: number;
  /** The number of lines taken from the end. */
  readonly tail: number;
}

/** The most informative part of a tool's result, within the size. `json` is the size for the fields of JSON. */
export function buildExcerpt(kind: ToolKind, text: string, size: ExcerptSize, json: ExcerptSize = size): Excerpt {
  const value = kind === 'read' ? null : readJsonText(text);
  const hits = kind === 'search' ? readSearchHits(text) : null;
  if (hits) return excerptHits(hits, size);
  if (value)
    return { what: 'Key fields', text: takeLines(describeShape(value), json.characters, MOST_FIELDS).join('\n') };
  const lines = text.trimEnd().split(/\r?\n/);
  if (kind === 'search') {
    const filled = lines.filter((line) => line.trim() !== '');
    return excerptBeginning(filled, size, size.lines * LINES_PER_RESULT);
  }
  // Few lines that are long are cut inside.
  if (lines.length * LONGEST_LINE < size.characters) return excerptCharacters(text, size.characters);
  return size.tail === 0 ? excerptBeginning(lines, size, size.lines) : excerptBothEnds(lines, size);
}

const MOST_FIELDS = 60;

const LONGEST_LINE = 200;

/** A result of a search on the web has a title, an address and a snippet; one of `grep` is a line. */
const LINES_PER_RESULT = 4;

function excerptHits(hits: readonly SearchHit[], { characters, lines }: ExcerptSize): Excerpt {
  const shown = hits.map(({ title, about }, at) => `${at + 1}. ${[title, ...about].join(' - ')}`);
  const top = takeLines(shown, characters, lines, Math.max(LONGEST_LINE, Math.floor(characters / lines)));
  return {
    what: `Found ${hits.length} ${hits.length === 1 ? 'result' : 'results'}. Top ${top.length}`,
    text: top.join('\n'),
  };
}

function excerptBeginning(lines: readonly string[], { characters }: ExcerptSize, most: number): Excerpt {
  const head = takeLines(lines, characters, most);
  const notice = NOTICE.test(lines.at(-1) ?? '') && head.length < lines.length ? [lines.at(-1) ?? ''] : [];
  return { what: `First ${head.length} of ${lines.length} lines`, text: [...head, ...notice].join('\n') };
}

/** The note that a tool writes below a result that it has cut off. */
const NOTICE = /^\[.{1,198}\]$/;

/** The characters are shared as the lines are. */
function excerptBothEnds(lines: readonly string[], { characters, lines: most, tail: mostOfEnd }: ExcerptSize): Excerpt {
  const share = mostOfEnd / most;
  const head = takeLines(lines, characters * (1 - share), most - mostOfEnd);
  const rest = lines.slice(Math.max(head.length, lines.length - mostOfEnd));
  const tail = takeLines(rest.toReversed(), characters * share, mostOfEnd).toReversed();
  const between = lines.length - head.length - tail.length;
  const gap = between > 0 ? [`[${between} lines]`] : [];
  return {
    what: `First ${head.length} and last ${tail.length} of ${lines.length} lines`,
    text: [...head, ...gap, ...tail].join('\n'),
  };
}

/** Lines as long as there is room, each cut where it is very long. */
function takeLines(
  lines: Iterable<string>,
  most: number,
  mostLines: number,
  longestLine: number = LONGEST_LINE,
): readonly string[] {
  const found: string[] = [];
  let room = most;
  for (const line of lines) {
    const short = truncateText(line, longestLine);
    room -= short.length + 1;
    if (room < 0 || found.length === mostLines) break;
    found.push(short);
  }
  return found;
}

function excerptCharacters(text: string, most: number): Excerpt {
  const half = Math.floor(most / 2);
  const head = text.slice(0, isInsideCharacter(text, half) ? half - 1 : half);
  const from = text.length - half;
  const tail = text.slice(isInsideCharacter(text, from) ? from + 1 : from);
  return {
    what: `First ${head.length} and last ${tail.length} of ${text.length} characters`,
    text: `${head}\n[${text.length - head.length - tail.length} characters]\n${tail}`,
  };
}

/** Whether a cut there would separate the halves of a character. */
function isInsideCharacter(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(at));
}
