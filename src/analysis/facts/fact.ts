import { compareTexts } from '#base/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import {
  findNextSteps,
  listUserSentences,
  normalizeText,
  readInstruction,
  splitSentences,
  toOneLine,
  truncateText,
} from './text.js';
import {
  commandOf,
  describeCall,
  findErrorLine,
  findFileUse,
  isLastingCommand,
  listToolUses,
  type ToolUse,
} from './tool-uses.js';

/** A fact of an entry, without its source. */
export type Fact = Pick<StatedFact, 'slot' | 'key' | 'text' | 'state' | 'outcome'>;

/** In UTF-16 code units. A goal may span several lines of a summary. */
export const LONGEST_GOAL = 400;
const LONGEST = 300;

/** A fact of one line. */
export function toFact(slot: FactKind, said: string, state: FactState = 'open', outcome: string | null = null): Fact {
  const text = truncateText(toOneLine(said), slot === 'goal' ? LONGEST_GOAL : LONGEST);
  // There is one goal, with any text.
  return { slot, key: slot === 'goal' ? 'goal' : toFactKey(text), text, state, outcome };
}

/** The key of texts that state the same fact: their words without case, Markdown marks and final punctuation. */
export function toFactKey(text: string): string {
  return normalizeText(text).replace(/[\s.,;:!?…]+$/, '');
}

/** A call without its result so far. */
export interface PendingCall {
  readonly attempt: string;
  /** The keys for matching a later call of the same kind: its command, or the operation on its file. */
  readonly keys: readonly string[];
  /** The command without its options, for matching a later one; null for a call that runs none. */
  readonly program: string | null;
  readonly command: string | null;
  /** Whether its failure matters after the turn. */
  readonly isLasting: boolean;
}

/** The calls of an assistant's message, by their ids. */
export function readPendingCalls(message: LlmMessage): ReadonlyMap<unknown, PendingCall> {
  return new Map(listToolUses([message]).map((use) => [use.id, callOf(use)]));
}

function callOf(use: ToolUse): PendingCall {
  const command = commandOf(use);
  const isLasting = command !== null && isLastingCommand(command);
  return {
    attempt: describeCall(use),
    keys: keysOf(use, command),
    program: command && programOf(command),
    command,
    isLasting,
  };
}

/** A successful change of a file implies that it can be read. */
function keysOf(use: ToolUse, command: string | null): readonly string[] {
  if (command !== null) return [`ran ${bare(command)}`];
  const file = findFileUse(use);
  if (!file) return [`called ${use.name}`];
  return file.kind === 'modified' ? [`modified ${file.path}`, `read ${file.path}`] : [`read ${file.path}`];
}

/** A command without parts that only set its folder or limit its output. */
function bare(command: string): string {
  let rest = command.slice(0, LONGEST_KEY).replace(/^(?:cd [^\s;&|]+ ?(?:&&|;) ?)+/, '');
  for (let shorter = rest.replace(SHOWS_LESS, ''); shorter !== rest; shorter = rest.replace(SHOWS_LESS, ''))
    rest = shorter;
  return rest.trim();
}

/** A command without the options of its parts, so `npm run build --if-present` is `npm run build`. Of git, the first two words. */
function programOf(command: string): string {
  const parts = bare(command).replaceAll(QUOTED, QUOTE).split(BETWEEN_PARTS);
  return parts.map((part) => WORDS_BEFORE_OPTIONS.exec(part)?.[0] ?? part).join(' ');
}

const QUOTED = /"(?:[^"\\]|\\[^])*"|'[^']*'/g;
const QUOTE = '"';
const BETWEEN_PARTS = / ?(&&|\|\||[;|]) ?/;
/** At least two words, because a single program, such as `curl -s URL`, does something else each time. */
const WORDS_BEFORE_OPTIONS = /^(?:git [a-z][\w-]*|[\w./:@-]+(?: [\w./:@][\w./:@-]*)+(?= -(?!- )|$))/;

const LONGEST_KEY = 2000;
/** One match at a time: a pattern for several would backtrack over each blank between them. */
const SHOWS_LESS = /(?: ?2>&1| ?\| ?(?:head|tail|cat)\b[^|;&]*)$/;

/** A failed result as a fact; null for one that did not fail. A result without a call is its own fact. */
export function readFailure(result: LlmMessage, call: PendingCall): Fact | null {
  const [use] = listToolUses([result]);
  const args = call.command === null ? {} : { command: call.command };
  const error = use ? findErrorLine({ ...use, args }) : null;
  if (error === null || STOPPED.test(error)) return null;
  return { ...toFact('blocker', `${call.attempt} failed: ${error}`), key: call.keys[0] ?? '' };
}

/** Aborted by the user, which is not a failure. */
const STOPPED = /^(?:(?:command|operation|tool|request)(?: was)? )?(?:aborted|cancell?ed)\b/i;

/**
 * The candidates of a user's text: rules, one task of all its requests, and the goal, if it names one or there is
 * none yet.
 */
export function readUserFacts(text: string, hasGoal: boolean): readonly Fact[] {
  const sentences = listUserSentences(text);
  // The first message is a request, even without keywords.
  const asked = askedIn(sentences) ?? (hasGoal ? null : (sentences[0] ?? null));
  const named = sentences.find((sentence) => GOAL.test(sentence));
  const goal = named ?? (hasGoal ? null : asked);
  return [
    ...(goal === null ? [] : [toFact('goal', goal)]),
    ...sentences.filter(isRuleThatHolds).map((sentence) => toFact('constraint', sentence)),
    ...(asked === null ? [] : [toFact('task', asked)]),
  ];
}

const GOAL =
  /^(?:(?:ok(?:ay)?|alright|all right|now|so|and|then|great|good)\b[\s,.!:;-]*)*(?:(?:the|our|my|your) )?(?:(?:new|next|main|overall) )?(?:goal|task|aim|objective)(?: now| here)?(?: is\b|:)/i;

/** `should` is a single request; `must`, `always` and `never` are lasting rules. Lines broken by a terminal are pasted. */
function isRuleThatHolds(sentence: string): boolean {
  return (
    readInstruction(sentence) !== null &&
    HOLDS_ON.test(sentence) &&
    !TOLD.test(sentence) &&
    !QUESTION.test(sentence) &&
    !BROKEN.test(sentence)
  );
}

const TOLD =
  /^(?:(?:ok(?:ay)?|hm+|well|so|and|but)\b[\s,.:;-]*)*i (?:think|guess|believe|suppose|see|saw|got|selected|tried|noticed)\b/i;
const HOLDS_ON =
  /\b(?:must(?:n't)?|always|never|make sure|ensure|avoid|prefer|no longer|at all (?:times|costs)|forbidden|not allowed|required?|requirements?|be (?:careful|brief|concise)|keep (?:in mind|it|your|answers)|remember|from now on|no matter)\b|(?<!\b(?:i|we|they|you|it|that|which|also) )\b(?:do not|don'?t)\b|\b(?:use|change|touch|edit|write|want|need|keep|read|run) only\b|\bonly (?:use|change|touch|edit|write|want|need|keep|read|run)\b/i;
const QUESTION = /\?["')\]]*$/;
const BROKEN = /^(?:\d+(?!\d|:\d)|[+-]\s)|\b(?:the|an?|in|of|to|and|or|with|for|on|by|next|is|are)$/i;

/**
 * The request of a text, on one line: all of it if it is short, else its requests, else its questions. null for one
 * without a request. In a text of another language than English every sentence counts.
 */
function askedIn(sentences: readonly string[]): string | null {
  const told = sentences.filter((sentence) => readInstruction(sentence) !== null);
  const asked =
    told.length > 0 ? told : sentences.filter((sentence) => QUESTION.test(sentence) || OTHER.test(sentence));
  if (asked.length === 0) return null;
  const whole = sentences.join(' ');
  const said = asked.join(' ');
  return whole.length <= LONGEST || said.length < LEAST_SAID ? whole : said;
}

/** A request with fewer letters refers to its surroundings. */
const LEAST_SAID = 60;

/** Letters outside the Latin script. */
const OTHER = /[\u0370-\u1fff\u2c00-\ud7ff]/;

/** The next steps in the answer at the end of a turn. */
export function readNextSteps(text: string): readonly Fact[] {
  return findNextSteps(text).map((sentence) => toFact('task', sentence));
}

/** The outcome in an answer, on one line. null for an answer without text. */
export function readOutcome(text: string): string | null {
  const sentences = splitSentences(text);
  const first = sentences.findIndex(({ length }) => length > LONGEST_EXCLAMATION);
  const said = sentences.slice(Math.max(0, first)).join(' ');
  return said === '' ? null : truncateText(said, LONGEST_OUTCOME);
}

const LONGEST_OUTCOME = 200;
/** `Done.`, `Perfect!` */
const LONGEST_EXCLAMATION = 12;

/** The slots of a ledger. There is one goal; the other slots may have many facts. */
export const FACT_KINDS = ['goal', 'constraint', 'decision', 'task', 'blocker'] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** The sources of statements, in ascending priority: of two simultaneous statements the later kind wins. */
export const SOURCE_KINDS = ['toolResult', 'assistant', 'branch', 'compaction', 'user'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/**
 * `open` is in force, `done` was done, answered or repaired, and `gone` no longer applies: a newer list omits it, or the
 * work continued without it.
 */
export const FACT_STATES = ['gone', 'open', 'done'] as const;
export type FactState = (typeof FACT_STATES)[number];

interface Source {
  readonly entryId: string | null;
  readonly line: number;
  readonly kind: SourceKind;
  /** The index among the statements of its entry, from 0. */
  readonly place: number;
}

/** A statement that may become a fact of the ledger. */
export interface StatedFact {
  readonly slot: FactKind;
  /** Two candidates with the same slot and key are the same fact. */
  readonly key: string;
  /** The statement on one line. */
  readonly text: string;
  readonly state: FactState;
  /** Its outcome on one line; null if none is reported. */
  readonly outcome: string | null;
  /** The time of the statement, in milliseconds since 1970. */
  readonly time: number;
  readonly source: Source;
}

/**
 * Sorts candidates by priority, the winner last: the newer one; at the same time (Pi writes several entries within a
 * millisecond) the one whose source is closer to the user, then the later one in the file, then the later one in
 * its entry. Remaining ties are broken by state and text, in code units, so that no two
 * different candidates are equal and their input order does not matter.
 */
export function compareStatedFacts(one: StatedFact, other: StatedFact): number {
  return (
    one.time - other.time ||
    SOURCE_KINDS.indexOf(one.source.kind) - SOURCE_KINDS.indexOf(other.source.kind) ||
    one.source.line - other.source.line ||
    one.source.place - other.source.place ||
    FACT_STATES.indexOf(one.state) - FACT_STATES.indexOf(other.state) ||
    compareTexts(one.text, other.text) ||
    compareTexts(one.outcome ?? '', other.outcome ?? '') ||
    compareTexts(one.source.entryId ?? '', other.source.entryId ?? '')
  );
}
