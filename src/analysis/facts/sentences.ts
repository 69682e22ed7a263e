import { oneLine } from './text.js';

/**
 * The sentences that somebody wrote in a text, each on one line, in order. A line break ends a sentence; what stands in
 * fenced blocks, quotes and tables, and lines that look like code, logs or tags, was not written but pasted.
 */
export function sentencesIn(text: string): readonly string[] {
  return writtenLines(text).flatMap((line) => splitLine(line));
}

function writtenLines(text: string): readonly string[] {
  const lines: string[] = [];
  let fence = '';
  for (const line of text.split(/\r?\n/)) {
    const [mark = ''] = /^\s*(?:```|~~~)/.exec(line) ?? [];
    if (mark !== '') fence = fence === '' ? mark.trim() : fence === mark.trim() ? '' : fence;
    else if (fence === '' && line.length <= LONGEST_LINE && !PASTED.test(line)) lines.push(line.replace(BULLET, ''));
  }
  return lines;
}

const LONGEST_LINE = 4000;
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~-]\]\s+)?/;
const PASTED =
  /^\s*(?:\/[\w-]+\s*$|at \S+ ?\(|at \/|[>|{}\])<$#➜✗✓✘╭╰│@]|\/\/|\/\*|\d+\s*[|:│]|\d{2,}\s{2,}|node:|npm |(?:import|export|const|let|var|function|class|interface|return)\s+[\w{*].*[;{=(]\s*$)/;

function splitLine(line: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { index, 0: end } of line.matchAll(END)) {
    if (ABBREVIATION.test(line.slice(Math.max(start, index - 8), index + 1))) continue;
    sentences.push(line.slice(start, index + end.length));
    start = index + end.length;
  }
  sentences.push(line.slice(start));
  return sentences.map(oneLine).filter((sentence) => LETTERS.test(sentence));
}

const END = /(?<![.!?…])[.!?…]+["')\]]*(?=\s)|[。！？]+/g;
const ABBREVIATION = /(?:^|[\s(])(?:[a-z]|e\.g|i\.e|etc|vs|cf|approx|mr|mrs|dr|no|fig)\.$/i;
/** Two letters beside one another, of any script. */
const LETTERS = /[A-Za-z\u00c0-\uffff]{2}/;
