import { toOneLine } from './text.js';

/**
 * The written sentences of a text, each on one line, in order. A line break ends a sentence; fenced blocks, quotes,
 * tables, and lines that look like code, logs or tags count as pasted, unless they read as a sentence.
 */
export function splitSentences(text: string): readonly string[] {
  return listWrittenLines(text).flatMap((line) => splitLine(line));
}

function listWrittenLines(text: string): readonly string[] {
  const lines: string[] = [];
  /** The mark of the code that a line is in; empty outside of code. */
  let fence = '';
  const all = text.split(/\r?\n/);
  const isAlone = all.filter((line) => line.trim() !== '').length === 1;
  for (const [at, line] of all.entries()) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) {
      const isEnd = fence === mark;
      if (isEnd) fence = '';
      else if (fence === '') fence = mark;
      continue;
    }
    if (fence !== '' || line.length > LONGEST_LINE) continue;
    if (!isPasted(line, { isAlone, before: all[at - 1] ?? '' })) lines.push(line.replace(BULLET, ''));
  }
  return lines;
}

const LONGEST_LINE = 4000;
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~-]\]\s+)?/;

interface LineContext {
  /** Whether the text has no other line: people paste several lines, and type one. */
  readonly isAlone: boolean;
  /** The line above it; '' for the first. */
  readonly before: string;
}

/**
 * Whether a line was pasted. Marks such as `@`, `#` and `$` begin code and logs, but also the names by which people
 * refer to a file, an issue or a variable, and a sentence may begin with any of them.
 */
function isPasted(line: string, { isAlone, before }: LineContext): boolean {
  if (PASTED.test(line)) return true;
  if (ERROR_LINE.test(line)) return !isAlone;
  const [, start] = MARKED.exec(line) ?? [];
  if (start === undefined) return false;
  if (CODE.test(line)) return true;
  if (isHeading(line)) return !isAlone && (before.trim() !== '' || !isSentence(line));
  const rest = line.slice(line.indexOf(start) + start.length);
  if (isAlone) return OF_OTHERS.test(line) ? !isSentence(rest) : !hasWords(line);
  return OF_OTHERS.test(line) || PROMPT.test(line) || !isSentence(rest);
}

/** Lines that the user does not type: a command of the client, a frame of a stack, what programs print for people. */
const PASTED =
  /^\s*(?:\/[\w-]+\s*$|at .*(?::\d+:\d+|:\d+\)|\((?:native code|Native Method|Unknown Source|<anonymous>)\))\s*$|[➜✗✓✘❯╭╰│]|\|.*\||\/\*|@@ |\*\/|[})\]]|(?:[\d.]+ )?npm (?:ERR!|error|warn|WARN|notice|info|verb)(?=\s)|=> |\[\+\]|\d+ [-+] |\d+\s*[|│]|node:\S*:\d|(?:import|export|const|let|var|function|class|interface|return)\s+[\w{*].*[;{=(]\s*$)/;

/** The beginning of a line with which programs report an error. */
const ERROR_LINE = /^\s*(?:[A-Za-z]\w*(?:Error|Exception)|Error|error|fatal|panic)(?: \w+\d+|\[\w+\])?: /;

/** A mark, and the word that it begins. */
const MARKED = /^\s*((?:at |npm |node:|\d+\s*:|\d{2,}\s{2,}|[>|{@#$<]|\/\/)\S*)/;

/** Ends of code, and the words with which its comments, directives and decorators begin. */
const CODE =
  /(?:[;{]|=>|\/>|<\/[\w-]+>)\s*$|^\s*<[!/?]|^\s*<\w[^>]*>.*<\/\w|^\s*[{[]\s*$|^\s*\{\s*"|^\s*#(?:include|define|pragma|endif|ifn?def|if|else|region|endregion|!|\[)|^\s*@(?:param|returns?|type|throws|deprecated|see|example|link|since|version|override|property|template|typedef|internal|private|public|protected|readonly|media|import|charset|keyframes|ts-[\w-]+)\b(?![/.])|^\s*@[\w.]+\(/i;

/** A quote, or a cell of a table. */
const OF_OTHERS = /^\s*[>|]\s/;

/** A command behind the prompt of a shell, or a comment. */
const PROMPT = /^\s*(?:\$|\/\/\/?)\s/;

/** Whether a text has letters outside the Latin script, where no words are known. */
export function isOtherScript(text: string): boolean {
  return OTHER_SCRIPT.test(text);
}

const OTHER_SCRIPT = /[\u0370-\u1fff\u2c00-\ud7ff]/;

function hasWords(line: string): boolean {
  return isOtherScript(line) || line.split(/\s+/).filter((word) => LETTERS.test(word)).length >= FEWEST_WORDS;
}

function isHeading(line: string): boolean {
  return /^\s*#+\s/.test(line);
}

/**
 * Whether the rest of a line reads as a sentence: any word of another script, or three words without marks of code. One
 * of the three must be common in sentences, or the last one must end it.
 */
function isSentence(rest: string): boolean {
  if (isOtherScript(rest)) return true;
  const words = rest.split(/\s+/).filter((word) => PLAIN.test(word));
  return words.length >= FEWEST_WORDS && (COMMON.test(rest) || /[.!?]["')\]]*\s*$/.test(rest));
}

const FEWEST_WORDS = 2;
const PLAIN = /^["'(]*\p{L}[\p{L}'’-]*["')]*[.,;:!?]*$/u;
/** Common words: a sentence in English or in a few related languages has at least one of them. */
const COMMON =
  /\b(?:a|an|the|this|that|these|it|its|i|you|we|they|my|your|our|is|are|was|were|be|been|has|have|had|does|do|did|not|no|never|always|only|must|should|shall|can|cannot|will|would|could|may|and|or|but|if|when|since|because|before|after|until|while|without|with|for|from|of|in|on|to|by|as|at|why|what|how|which|who|where|please|again|still|too|also|keep|fails?|failed|failing|broken|breaks|works?|don't|doesn't|isn't|can't|won't|der|die|das|ist|nicht|nie|und|muss|bitte|le|la|les|est|ne|pas|jamais|et|doit|el|los|es|nunca|siempre|debe|y|por)\b/i;

function splitLine(line: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { index, 0: end } of line.matchAll(END)) {
    if (ABBREVIATION.test(line.slice(Math.max(start, index - 8), index + 1))) continue;
    sentences.push(line.slice(start, index + end.length));
    start = index + end.length;
  }
  sentences.push(line.slice(start));
  return sentences.map(toOneLine).filter((sentence) => LETTERS.test(sentence));
}

const END = /(?<![.!?…])[.!?…]+["')\]]*(?=\s)|[。！？]+/g;
const ABBREVIATION = /(?:^|[\s(])(?:[a-z]|e\.g|i\.e|etc|vs|cf|approx|mr|mrs|dr|no|fig)\.$/i;
const LETTERS = /[A-Za-z\u00c0-\uffff]{2}/;
