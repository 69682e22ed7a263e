import { asString, listObjects } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import { sliceStart } from '#base/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readUserWords } from '#context/words/user-words.js';

/** The text of a message without its tool calls, images and thinking. */
export function messageText(message: LlmMessage): string {
  const content = message['content'];
  if (typeof content === 'string') return content;
  return listObjects(content)
    .flatMap((block) => (block['type'] === 'text' ? (asString(block['text']) ?? []) : []))
    .join('\n');
}

/** Normalises the words of a text for comparison: ASCII lower case, no Markdown marks, one blank between words. */
export function normalizeText(text: string): string {
  return lowerAscii(text.replaceAll(/[*`_~]/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Lowers ASCII letters, independent of the machine's Unicode version. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Puts a text on one line. */
export function toOneLine(text: string): string {
  // Most texts are on one line already, and a test is faster than a replacement of every blank by itself.
  return (OTHER_BLANKS.test(text) ? text.replaceAll(/\s+/g, ' ') : text).trim();
}

const OTHER_BLANKS = /[^\S ]| {2}/;

/** The beginning of a text, at most `most` UTF-16 code units, never cut inside a character. */
export function truncateText(text: string, most: number): string {
  return text.length <= most ? text : `${sliceStart(text, most - 2)} …`;
}

/** Whether an assistant's message ends the turn. */
export function endsTurn(message: LlmMessage): boolean {
  if (message.role !== 'assistant') return false;
  const stopped = message['stopReason'];
  if (typeof stopped === 'string') return stopped === 'stop';
  return !listObjects(message['content']).some(({ type }) => type === 'toolCall');
}

/** The terms of a text that a summary must repeat literally: paths, code names, error numbers, quoted texts. */
export function listTerms(text: string): readonly string[] {
  const terms = new Set<string>();
  for (const [, ticked, quoted] of text.matchAll(QUOTED)) {
    const inside = (ticked ?? quoted ?? '').trim();
    if (inside.length >= 2 && inside.length <= LONGEST) terms.add(inside);
  }
  for (const [word] of text.matchAll(WORD)) {
    const term = word
      .replace(/^[^\w/@.~]+/, '')
      .replace(/(?<![^\w)])[^\w)]+$/, '')
      .replace(/\)$/, '');
    if (term.length <= LONGEST && isTerm(term)) terms.add(term);
  }
  return [...terms];
}

const LONGEST = 120;
const QUOTED = /`([^`\n]+)`|"([^"\n]{3,80})"/g;
const WORD = /[^\s`"'“”,;(<>[\]{}|]+/g;

function isTerm(word: string): boolean {
  return (
    /^(?:[A-Za-z]:)?[\w@.~-]*[/\\][\w@.~/\\-]+$/.test(word) ||
    /^[\w-]+\.[A-Za-z]\w{0,5}$/.test(word) ||
    /^[a-z][a-z0-9]*[A-Z]\w*$/.test(word) ||
    /^[A-Z][a-z0-9]+[A-Z]\w*$/.test(word) ||
    /^[A-Za-z]\w*_\w+$/.test(word) ||
    /^[A-Z][A-Z0-9]{3,}$/.test(word) ||
    /^(?:TS|E|ERR_|HTTP|#)\w*\d{2,}$/.test(word) ||
    /^--?[a-z][\w-]+$/.test(word) ||
    /^[a-z]\w*\(\)?$/.test(word)
  );
}

/**
 * The written sentences of a text, each on one line, in order. A line break ends a sentence; fenced blocks, quotes,
 * tables, and lines that look like code, logs or tags count as pasted, unless they read as a sentence.
 */
export function splitSentences(text: string): readonly string[] {
  return writtenLines(text).flatMap((line) => splitLine(line));
}

function writtenLines(text: string): readonly string[] {
  const lines: string[] = [];
  let fence = '';
  const all = text.split(/\r?\n/);
  const isAlone = all.filter((line) => line.trim() !== '').length === 1;
  for (const [at, line] of all.entries()) {
    const [mark = ''] = /^\s*(?:```|~~~)/.exec(line) ?? [];
    if (mark !== '') fence = fence === '' ? mark.trim() : fence === mark.trim() ? '' : fence;
    else if (fence === '' && line.length <= LONGEST_LINE && !isPasted(line, { isAlone, before: all[at - 1] ?? '' }))
      lines.push(line.replace(BULLET, ''));
  }
  return lines;
}

const LONGEST_LINE = 4000;
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~-]\]\s+)?/;

interface Around {
  /** Whether the text has no other line: people paste several lines, and type one. */
  readonly isAlone: boolean;
  /** The line above it; '' for the first. */
  readonly before: string;
}

/**
 * Whether a line was pasted. Marks such as `@`, `#` and `$` begin code and logs, but also the names by which people
 * refer to a file, an issue or a variable, and a sentence may begin with any of them.
 */
function isPasted(line: string, { isAlone, before }: Around): boolean {
  if (PASTED.test(line)) return true;
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
  /^\s*(?:\/[\w-]+\s*$|at .*(?::\d+:\d+|:\d+\)|\((?:native code|Native Method|Unknown Source|<anonymous>)\))\s*$|[➜✗✓✘❯╭╰│]|\|.*\||\/\*|@@ |\*\/|[})\]]|npm (?:ERR!|error|warn|WARN|notice|info|verb)(?=\s)|\d+\s*[|│]|node:\S*:\d|(?:import|export|const|let|var|function|class|interface|return)\s+[\w{*].*[;{=(]\s*$)/;

/** A mark, and the word that it begins. */
const MARKED = /^\s*((?:at |npm |node:|\d+\s*:|\d{2,}\s{2,}|[>|{@#$<]|\/\/)\S*)/;

/** Ends of code, and the words with which its comments, directives and decorators begin. */
const CODE =
  /(?:[;{]|=>|\/>|<\/[\w-]+>)\s*$|^\s*<[!/?]|^\s*<\w[^>]*>.*<\/\w|^\s*[{[]\s*$|^\s*\{\s*"|^\s*#(?:include|define|pragma|endif|ifn?def|if|else|region|endregion|!|\[)|^\s*@(?:param|returns?|type|throws|deprecated|see|example|link|since|version|override|property|template|typedef|internal|private|public|protected|readonly|media|import|charset|keyframes|ts-[\w-]+)\b(?![/.])|^\s*@[\w.]+\(/i;

/** A quote, or a cell of a table. */
const OF_OTHERS = /^\s*[>|]\s/;

/** A command behind the prompt of a shell, or a comment. */
const PROMPT = /^\s*(?:\$|\/\/\/?)\s/;

function hasWords(line: string): boolean {
  return NOT_ENGLISH.test(line) || line.split(/\s+/).filter((word) => LETTERS.test(word)).length >= FEWEST_WORDS;
}

function isHeading(line: string): boolean {
  return /^\s*#+\s/.test(line);
}

/**
 * Whether the rest of a line reads as a sentence: three words without marks of code, of which one is common in
 * sentences or the last one ends it; or any word of another script.
 */
function isSentence(rest: string): boolean {
  if (NOT_ENGLISH.test(rest)) return true;
  const words = rest.split(/\s+/).filter((word) => PLAIN.test(word));
  return words.length >= FEWEST_WORDS && (COMMON.test(rest) || /[.!?]["')\]]*\s*$/.test(rest));
}

const FEWEST_WORDS = 2;
const PLAIN = /^["'(]*\p{L}[\p{L}'’-]*["')]*[.,;:!?]*$/u;
/** Words of which sentences of English, and of a few of its neighbours, have at least one. */
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

/** The sentences of an assistant's text about decisions and their reasons. Found by English words. */
export function findDecisions(text: string): readonly string[] {
  return splitSentences(text).filter((sentence) => DECIDED.test(sentence) && !/[?:]$/.test(sentence));
}

/** Whether a sentence about decisions chooses something: no plain reason, no guess, and no step that is announced. */
export function isChoice(sentence: string): boolean {
  return CHOSEN.test(sentence) && !GUESSED.test(sentence);
}

const CHOSEN =
  /\b(?:decided|decision|chose|chosen|opted|going with|settled on|we(?:'ll| will) (?:use|keep|store|put)|instead of|rather than|in favou?r of|the reason|root cause|turns out|the (?:fix|solution|cause) (?:is|was)|trade-?off)\b|\bi(?:'ll| will) (?:use|keep|store)\b.*\b(?:because|since|so that|for now|from now on|everywhere)\b/i;
const GUESSED = /^(?:if|when|i bet)\b|\b(?:might|maybe|perhaps|probably|could be)\b/i;

/** Like `findDecisions`, of a message. Engines look at the same messages many times. */
export const findMessageDecisions = memoizeByObject((message: LlmMessage) => findDecisions(messageText(message)));

/** The sentences of an assistant's text about next steps. */
export function findNextSteps(text: string): readonly string[] {
  return splitSentences(text).filter((sentence) => NEXT.test(sentence) && !/[?:]$/.test(sentence));
}

const DECIDED =
  /\b(?:decided|decision|chose|chosen|choosing|opted|going with|go with|settled on|we(?:'ll| will) (?:use|keep|store|put|go)|instead of|rather than|in favou?r of|so that|the reason|root cause|turns out|the (?:fix|solution|problem|issue|cause|bug) (?:is|was)|trade-?off|won't|because)\b/i;
const NEXT =
  /^(?:next\b|then\b|remaining\b|still (?:to do|open|missing)|todo\b|to do:|after that|the next (?:step|thing)|now (?:i|we|let)\b|(?:i|we)(?:'ll| will| still need to| need to)\b)/i;

/** An instruction of the user: a rule for the future, a correction, or a task. */
export interface Instruction {
  readonly kind: 'constraint' | 'correction' | 'request';
  /** The sentence as written, on one line. */
  readonly text: string;
}

/**
 * The sentences of a user's text that instruct the agent. They are found by English words: a rule
 * (`must`, `never`, `only`), one that corrects (`no, …`, `that's wrong`), one that begins with a verb in the imperative
 * or asks for something (`can you …`). In a text of another language every sentence counts, and in one without any
 * such sentence the first.
 */
export function findInstructions(text: string): readonly Instruction[] {
  const sentences = listUserSentences(text);
  const found = sentences.flatMap((sentence) => readInstruction(sentence) ?? []);
  if (found.length > 0) return found;
  const inOtherWords = sentences.filter((sentence) => NOT_ENGLISH.test(sentence));
  return (inOtherWords.length > 0 ? inOtherWords : sentences.slice(0, 1)).map((each) => ({
    kind: 'request',
    text: each,
  }));
}

/** The sentences that the user wrote in a message, without texts of the client. */
export function listUserSentences(text: string): readonly string[] {
  return splitSentences(readUserWords(text));
}

/** The instruction in one sentence; null where it gives none. */
export function readInstruction(sentence: string): Instruction | null {
  if (CORRECTION.test(sentence)) return { kind: 'correction', text: sentence };
  if (RULE.test(sentence)) return { kind: 'constraint', text: sentence };
  const bare = sentence.replace(FILLERS, '');
  return REQUEST.test(bare) || IMPERATIVE.test(bare) ? { kind: 'request', text: sentence } : null;
}

/** Letters outside the Latin script. */
const NOT_ENGLISH = /[\u0370-\u1fff\u2c00-\ud7ff]/;
/** Words before a request, and the names of a file, an issue or a variable with which it begins. */
const FILLERS =
  /^(?:[@#$][\w./\\@~:-]*\w[,:]?\s+|(?:ok(?:ay)?|alright|all right|right|great|good|nice|perfect|cool|thanks|thank you|so|and|but|then|now|also|next|first|second|finally|btw|well|hm+|yes|yeah|yep|sure|hey|hi|hello|just|for now|if possible|please|pls|kindly)\b[\s,.!:;-]*)+/i;
const CORRECTION =
  /^(?:no\b[,.! ]|nope\b|not |wrong\b|stop\b|wait\b|undo\b|revert\b|actually\b|instead\b|that(?:'s| is| was)?(?: not|n't| wrong| horrible| incorrect)|this is (?:not|wrong)|you (?:forgot|missed|broke|did ?n[o']t|havn'?e?t|haven'?t|should(?:n't| not)? have|fucked)|i (?:said|meant|told you|undid|reverted)|why (?:did|do|are|would) (?:you|we)\b)|\b(?:still (?:broken|fails|failing|wrong|not)|does(?:n't| not) work)\b/i;
const RULE =
  /\b(?:must(?:n't)?|always|never|do not|don'?t|cannot|can'?t|should(?:n't)?|shall|only|make sure|ensure|avoid|prefer|no longer|at (?:least|most)|at all (?:times|costs)|without|unless|except|required?|requirements?|forbidden|not allowed|be (?:careful|brief|concise)|keep (?:in mind|it|the|all)|remember)\b/i;
const REQUEST =
  /^(?:(?:can|could|would|will|won't) (?:you|we)\b|let'?s\b|let us\b|i(?:'d| would)? (?:want|need|like|love|wish|expect)\b|we (?:want|need|have to|should|could)\b|you (?:can|could|need|have to|may|might)\b|how about\b|what about\b|need to\b|the (?:goal|task|plan|idea) (?:is|here)\b|goal:|task:|todo:?)|\b(?:i want (?:you|to)|i need (?:you|to)|needs? to be|has to|have to)\b|[,;:] (?:please|pls|kindly) \w/i;
const IMPERATIVE = new RegExp(
  `^(?:${[
    'add|adapt|adjust|align|allow|amend|analy[sz]e|answer|append|apply|ask|assume|audit|begin|bring|build|bump|calculate|call|change|check|clean|clone|close|collect|combine|come up|commit|compare|compile|complete|configure|confirm|connect|consider|continue|convert|copy|correct|cover|create|cut|debug|decide|define|delete|deploy|describe|design|determine|develop|diagnose|disable|discard|display|do|document|download|draft|drop|edit|enable|examine|execute|expand|explain|explore|export|expose|extend|extract|figure|fill|filter|find|finish|fix|focus|follow|format|generate|get|give|go|grep|group|handle|have|help|hide|highlight|ignore|implement|import|improve|include|increase|initiali[sz]e|inspect|install|integrate|introduce|investigate|keep|kill|launch|leave|limit|link|list|load|log|look|lower|maintain|make|map|mark|merge|migrate|modify|move|name|note|offer|omit|open|optimi[sz]e|organi[sz]e|output|parse|paste|pick|place|plan|polish|port|prepare|present|print|proceed|propose|provide|publish|pull|push|put|raise|re-?\\w+|read|rebase|rebuild|reduce|refactor|refine|release|reload|remove|rename|render|reorder|replace|report|reproduce|research|reset|resolve|restart|restore|restructure|retry|return|reuse|review|rewrite|rework|roll|rotate|run|save|say|scan|search|see|select|send|separate|set|setup|ship|show|simplify|skip|solve|sort|split|start|stick|store|strip|study|suggest|summari[sz]e|support|swap|switch|sync|take|tell|test|tidy|tighten|track|translate|trim|try|turn|uninstall|update|upgrade|upload|use|validate|verify|view|wire|work|wrap|write',
  ].join('|')})\\b(?! (?:is|was|are|were|has|had|does|did|of)\\b)`,
  'i',
);
