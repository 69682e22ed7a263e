import { readUserWords } from '#context/words/user-words.js';
import { isOtherScript, splitSentences } from './sentences.js';

/** A sentence in which the user instructs the agent. */
export interface Instruction {
  /** The sentence as written, on one line. */
  readonly text: string;
  /** It contradicts what the agent did or said. */
  readonly isCorrection: boolean;
  /** It is a rule for the work that follows: a constraint. */
  readonly isRule: boolean;
}

/**
 * The sentences of a user's text that instruct the agent. They are found by English words: a rule (`never`, `must`), a
 * correction (`no, …`, `that's wrong`), a verb in the imperative, a wish or a duty (`can you …`, `it needs …`). A text
 * without any asks by its questions, else by the problems that it reports. In a script other than Latin every sentence
 * counts.
 */
export function findInstructions(text: string): readonly Instruction[] {
  const sentences = listUserSentences(text);
  const found = sentences.flatMap((sentence) => readInstruction(sentence) ?? []);
  if (found.length > 0) return found;
  for (const asks of [isQuestion, isProblem]) {
    const asked = sentences.filter((sentence) => asks(sentence) || isOtherScript(sentence));
    if (asked.length > 0) return addSubject(asked, sentences).map(toPlainRequest);
  }
  return [];
}

/** Adds the first sentence to a question such as `Why?`, which says nothing without its subject. */
function addSubject(asked: readonly string[], sentences: readonly string[]): readonly string[] {
  return asked.join(' ').length < SHORTEST_QUESTION ? sentences.slice(0, 1) : asked;
}

/** The limit in UTF-16 code units. */
const SHORTEST_QUESTION = 10;

function toPlainRequest(text: string): Instruction {
  return { text, isCorrection: false, isRule: false };
}

/** The sentences that the user wrote in a message, without texts of the client. */
export function listUserSentences(text: string): readonly string[] {
  return splitSentences(readUserWords(text));
}

/** The instruction in one sentence; null where it gives none. */
function readInstruction(sentence: string): Instruction | null {
  const words = sentence.replaceAll('’', "'");
  const isCorrection = CORRECTION.test(words) || CORRECTION.test(words.replace(FILLERS, ''));
  const isRule = statesRule(words);
  return isCorrection || isRule || isRequest(words) ? { text: sentence, isCorrection, isRule } : null;
}

const CORRECTION =
  /^(?:no\b(?! (?:one|idea|problem|worries|need|matter)\b)[,.! ]|nope\b|not |wrong\b|stop\b|wait\b|undo\b|revert\b|actually\b|instead\b|that(?:'s| is| was)?(?: not|n't| wrong| horrible| incorrect)|this is (?:not|wrong)|you (?:forgot|missed|broke|did ?n[o']t|havn'?e?t|haven'?t|should(?:n't)? not have|should(?:n't| not)? have|fucked)|i (?:said|meant|told you|undid|reverted)|why (?:did|do|are|would) you\b)|\b(?:still (?:broken|fails|failing|wrong|not)|does(?:n't| not) work)\b/i;

/** Whether a sentence is a rule, and not an opinion, a question or a line that a terminal has broken. */
function statesRule(words: string): boolean {
  const bare = words.replace(FILLERS, '');
  if (OPINION.test(words) || isQuestion(words) || BROKEN.test(words)) return false;
  return RULE.test(words) || RULE_VERB.test(bare) || RULE_START.test(bare);
}

/** Words before a request, and the names of a file, an issue or a variable with which it begins. */
const FILLERS =
  /^(?:[@#$][\w./\\@~:-]*\w[,:]?\s+|(?:ok(?:ay)?|alright|all right|right|great|good|nice|perfect|cool|thanks|thank you|so|and|but|then|now|also|next|first|second|finally|btw|well|hm+|yes|yeah|yep|sure|hey|hi|hello|dude|man|oh|ah|yo|wow|omf?g|wtf|just|i (?:think|guess|suppose|believe),?|for now|if possible|please|pls|kindly)\b[\s,.!:;-]*)+/i;
const OPINION =
  /^(?:(?:ok(?:ay)?|hm+|well|so|and|but)\b[\s,.:;-]*)*i (?:think|guess|believe|suppose|see|saw|got|selected|tried|noticed)\b/i;
const BROKEN = /^(?:\d+(?!\d|:\d)|[+-]\s)|\b(?:the|an?|in|of|to|and|or|with|for|on|by|next|is|are)$/i;

/** Duties and limits, wherever they are in a sentence. */
const RULE =
  /(?<!\bi )\bmust(?:n't)?\b(?! have\b)|\b(?:make sure|ensure|avoid|prefer|at all (?:times|costs)|under no circumstances|until (?:(?:i|we) say|further notice)|(?:stop|ask(?: me)?|wait) (?:if|whenever|before)|forbidden|not allowed|from now on|no matter|(?:should|shall) (?:never|always)|(?:i|we)(?:'d| would) rather|(?:you|we) (?:cannot|can't|may not)|(?:is|are) required)\b|\b(?:i|we) (?:\w+ly )?(?:do not|don'?t) want\b|\b(?:use|change|touch|edit|write|want|need|keep|read|run) only\b|\bonly (?:use|change|touch|edit|write|want|need|keep|read|run)\b/i;
/** A verb of a rule where a clause begins, or after `we` or `you`. */
const RULE_VERB =
  /(?:^|[,;:.!(–—-] ?|\b(?:and|but|so|then|please|pls|also|or|just|kindly) )(?:(?:do not|don'?t)\b(?! (?:you|we|i|they|know)\b)|(?:never|always)\b(?! (?:happens?|works?|worked|was|were|had|got)\b))|\b(?:we|you) (?:never|always)\b(?! (?:got|had|was|were|saw)\b)/i;
const RULE_START =
  /^(?:without|at (?:least|most)|only|nothing but|no more than|remember\b(?! when)|keep (?:in mind|it|your|the answers?|answers)|be (?:careful|brief|concise)|no (?!one\b|idea\b|problem|worries|need\b|matter\b|longer\b|way\b)[a-z-]+(?: [a-z-]+){0,2}(?:[.!]?$|!| (?:without|unless|in|for|at|on)\b))(?=\W|$)/i;

function isQuestion(sentence: string): boolean {
  return /\?["')\]]*$/.test(sentence);
}

function isRequest(words: string): boolean {
  const bare = words.replace(FILLERS, '');
  if (WISH.test(bare) || IMPERATIVE.test(bare) || UNKNOWN_VERB.test(bare) || ASKS_YOU.test(words)) return true;
  if (isQuestion(words)) return false;
  if (NEXT_SUBJECT.test(words)) return true;
  return DUTY.test(words) || (IMPERATIVE_CLAUSE.test(words) && !ERROR.test(words));
}

const WISH =
  /^(?:let'?s\b|let us\b|we (?:keep|use|take|drop|leave|go with|stay with|stick with)\b|(?:can|could|shall|won't) (?:you|we)\b|i(?:'d| would)? (?:\w+ly |just |only |still |also )*(?:want|need|like|love|wish|expect)\b|i(?:'d| would) rather\b|we (?:\w+ly |just |only |still |also )*(?:want|need|have to|should|could)\b|you (?:can|could|need|have to|may|might)\b|how about\b|what about\b|need to\b|the (?:goal|task|plan|idea) (?:is|here)\b|goal:|task:|todo:?)/i;
const ASKS_YOU =
  /\b(?:can|could|would|will) you\b|\b(?:please|pls|plz)\b|(?:^|[,;] (?:and |so |but )?)(?:can|could|can't|couldn't) we\b|\bwhy (?:don't|not) (?:we|you)\b|\bi (?:want|need) (?:you|to)\b|\bi (?:guess|think|suppose) (?:we|you) (?:can|could|should|need)\b/i;
const DUTY =
  /(?<!\bi )\b(?:should(?:n't)?|must(?:n't)?|shall|ought to|has to|have to)\b(?! have\b)|(?<!\b(?:no|not|n't|don't|doesn't|do|i) )\bneeds?\b/i;
/** A request without a verb: `next the payments`. */
const NEXT_SUBJECT =
  /(?:^|[,;] )(?:next|now|then)[,:]? (?:the|an?|on to) (?!.*\b(?:is|are|was|were|has|had|fails?|failed|works?|looks?|shows?|says?|gives?|does|did)\b)[^,;]{1,40}$/i;
/** Messages of programs: after their commas follow no requests. */
const ERROR = /\b(?:error|exception|warning|[A-Z]\w+Error|E[A-Z]{4,})\b/;

const VERBS = [
  'add|adapt|adjust|align|allow|amend|analy[sz]e|answer|append|apply|ask|assume|audit|begin|bring|build|bump|calculate|call|change|check|clean|clone|close|collect|combine|come up|commit|compare|compile|complete|configure|confirm|connect|consider|continue|convert|copy|correct|cover|create|cut|debug|decide|define|delete|deploy|describe|design|determine|develop|diagnose|dig|disable|discard|display|do|document|double-check|download|draft|drop|edit|enable|examine|execute|expand|explain|explore|export|expose|extend|extract|fetch|figure|fill|filter|find|finish|fix|focus|follow|format|generate|get|give|go|google|grep|group|handle|have|help|hide|highlight|ignore|implement|import|improve|include|increase|initiali[sz]e|inspect|install|integrate|introduce|investigate|keep|kill|launch|leave|limit|link|lint|list|load|lock|log|look|lower|maintain|make|map|mark|measure|mention|merge|migrate|modify|move|name|note|offer|omit|open|optimi[sz]e|organi[sz]e|output|parse|paste|pick|pin|place|plan|polish|port|prepare|present|print|proceed|propose|provide|publish|pull|push|put|raise|rate|read|ready|reapply|rebase|rebuild|recheck|reconsider|recreate|redesign|redo|reduce|refactor|refine|refresh|regenerate|register|reinstall|release|reload|remove|rename|render|reopen|reorder|reorgani[sz]e|repair|repeat|replace|replay|report|reproduce|rerun|research|reset|resolve|respond|restart|restore|restructure|rethink|retry|return|reuse|revert|review|revise|rewrite|rework|re-\\w+|roll|rotate|run|save|say|scan|scroll|search|see|select|send|separate|set|setup|ship|show|simplify|skip|sleep|solve|sort|split|start|stick|stop|store|strip|study|suggest|squash|summari[sz]e|support|tag|swap|switch|sync|tackle|take|talk|tell|test|think|tidy|tighten|track|translate|trim|try|turn|undo|uninstall|update|upgrade|upload|use|validate|verify|view|wait|websearch|wire|work|wrap|write',
].join('|');
/** The words after a noun that could be a verb: `test is red`, `build of today`. */
const NO_NOUN =
  '\\b(?! (?:is|was|are|were|has|had|does|did|of|fails?|failed|works?|worked|looks?|seems?|shows?|passes|passed)\\b)';
const IMPERATIVE = new RegExp(`^(?:${VERBS})${NO_NOUN}`, 'i');
/** A short sentence of a verb and its object, such as `Ship it.` */
const UNKNOWN_VERB =
  /^(?!(?:is|was|were|are|do|did|had|have|i|we|you|they|he|she|it|if|when|while|after|before|about|with|on|in|at|for|of|to|and|or|like|love|hate|got|by|from|not|so|as|than|that|this|because|since|all|both|only|just|what|which|why|how|who|where)\b)[a-z]+(?<!ed|ing|s) (?:it|them|this|that|these|those)\b[^?]{0,30}$/i;
const IMPERATIVE_CLAUSE = new RegExp(
  `[,;] (?:(?:then|and|so|but|just|now|also|or) )*(?:${VERBS})${NO_NOUN}(?!,|[:=(])`,
  'i',
);

function isProblem(sentence: string): boolean {
  return /\b(?:doesn'?t|does not|isn'?t|won'?t|can'?t|cannot|fails?|failing|failed|broken|breaks|crash(?:es|ed)?|wrong|missing|hangs?|stuck|overlaps?|looks? (?:off|odd|weird|bad)|no longer|stopped working|(?:is|are) off|too (?:slow|fast|long|short|big|small|large|wide|narrow|dark|bright|many|few|much|high|low|loud|intense))\b/i.test(
    sentence,
  );
}
