import { asString, type JsonObject, listObjects } from '#base/json.js';
import { baseName } from '#base/paths.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ReplayableSession } from '#context/replayable.js';
import { readSearchableText } from '#context/words/message-blocks.js';
import { formatId, type Head } from '#session/heads/head.js';
import { toOneLine } from '../facts/text.js';
import { findFileUse, listToolUses } from '../facts/tool-uses.js';
import { openBoundary } from './audit.js';
import { type FactClass, listMessageFacts } from './fact-classes.js';
import type { KnownFiles } from './known-files.js';
import { readSentMessage } from './lost-facts.js';
import { type Question, QUESTION_KINDS } from './question-file.js';
import { containsName } from './summary-mentions.js';

/** The questions about a compaction, and the text that is to answer them. */
export interface Examination {
  readonly boundary: Head;
  readonly summary: string;
  readonly questions: readonly Question[];
}

/**
 * Questions whose answers a compaction removed from the context, by rule: the file of an edit, the new value of a changed
 * line, and a name that is left out of an instruction, a decision or an error. What the kept messages answer is not
 * asked. Throws like `auditLoss`.
 */
export function buildExamination(session: ReplayableSession, at: Head): Examination | null {
  const opened = openBoundary({ session }, at);
  if (!opened) return null;
  const { boundary, replacement, fates, files } = opened;
  const removed: Sent[] = [];
  const kept: string[] = [];
  for (const { head, fate } of fates.listBefore(boundary)) {
    const message = readSentMessage(session, head);
    if (!message) continue;
    if (fate === 'kept') kept.push(readSearchableText(message));
    else removed.push({ head, message });
  }
  const keptText = kept.join('\n');
  const all = [...listEditQuestions(removed, files.files), ...listGapQuestions(removed)];
  const questions = dropUnclear(all).filter(({ answers }) => !answers.some((answer) => containsName(keptText, answer)));
  return {
    boundary,
    summary: replacement.summary,
    questions: QUESTION_KINDS.flatMap((kind) => choose(questions, kind)),
  };
}

interface Sent {
  readonly head: Head;
  readonly message: LlmMessage;
}

/** The maximum number of questions of one kind. */
const MOST = 5;

/** Up to `MOST` questions of a kind, evenly spread over the session. */
function choose(questions: readonly Question[], kind: Question['kind']): readonly Question[] {
  const own = questions.filter((question) => question.kind === kind);
  if (own.length <= MOST) return own;
  return Array.from({ length: MOST }, (_, at) => own[Math.floor((at * own.length) / MOST)]).filter(
    (question) => question !== undefined,
  );
}

/** Leaves out questions with two different answers, and repeated ones. */
function dropUnclear(questions: readonly Question[]): readonly Question[] {
  const byText = new Map<string, Set<string>>();
  for (const { question, answers } of questions) {
    const known = byText.get(question) ?? new Set();
    byText.set(question, known.add(answers[0] ?? ''));
  }
  const asked = new Set<string>();
  return questions.filter(({ question }) => {
    const isFirst = !asked.has(question);
    asked.add(question);
    return isFirst && byText.get(question)?.size === 1;
  });
}

// ---- Edits

interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function listEditQuestions(removed: readonly Sent[], files: KnownFiles): readonly Question[] {
  const messages = removed.map(({ message }) => message);
  return listToolUses(messages).flatMap((use) => {
    const file = findFileUse(use);
    const { head } = removed[use.callAt] ?? {};
    if (file?.kind !== 'modified' || use.isError || !head) return [];
    return listEdits(file.path, use.args).flatMap((edit) => [
      ...askForFile(edit, files.namesOf(edit.path), head),
      ...askForValue(edit, head),
    ]);
  });
}

/** The replacements of a call: its own arguments, or a list of them. */
function listEdits(path: string, args: JsonObject): readonly Edit[] {
  return [args, ...listObjects(args['edits'])].flatMap((each) => {
    const before = asString(each['oldText'] ?? each['old_string'] ?? each['oldString'] ?? each['old_str']);
    const after = asString(each['newText'] ?? each['new_string'] ?? each['newString'] ?? each['new_str']);
    return before === null || after === null ? [] : [{ path, before, after }];
  });
}

/** Asks which file got a line: the longest one that the edit added. */
function askForFile({ path, before, after }: Edit, names: readonly string[], head: Head): readonly Question[] {
  const old = new Set(splitLines(before));
  const added = splitLines(after).filter((line) => !old.has(line) && line.length <= LONGEST_LINE);
  const line = added.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  const base = baseName(path);
  if (line.length < SHORTEST_LINE || base === '' || line.includes(base)) return [];
  return [toQuestion('edit', `In which file was this line written? ${line}`, names, head)];
}

/** Asks for the new value, where an edit of one line changed one word after a name. */
function askForValue({ path, before, after }: Edit, head: Head): readonly Question[] {
  const [old, ...moreOld] = splitLines(before);
  const [now, ...moreNow] = splitLines(after);
  if (old === undefined || now === undefined || moreOld.length > 0 || moreNow.length > 0) return [];
  const one = ASSIGNMENT.exec(old);
  const other = ASSIGNMENT.exec(now);
  const [, name = '', value = ''] = other ?? [];
  if (!one || one[1] !== name || one[2] === value || value.length < SHORTEST) return [];
  const question = `In ${baseName(path)}, ${toOneLine(name)} was changed from ${one[2] ?? ''} to which value?`;
  return [toQuestion('value', question, [value], head)];
}

/** A name and its value at the end of a line, such as `timeout: 30,`. */
const ASSIGNMENT = /^([\w$.'"[\]\s-]{1,80}?)\s*[:=]\s*['"`]?([\w$./@:+-]+)['"`]?[,;]?$/;

function splitLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** In UTF-16 code units: a shorter line is in many files, and a longer one is no sentence. */
const SHORTEST_LINE = 20;
const LONGEST_LINE = 160;

// ---- Gaps

/** Sentences with a gap in place of their longest name. */
function listGapQuestions(removed: readonly Sent[]): readonly Question[] {
  const isWritten = (at: number): boolean => removed[at]?.head.role === 'user';
  const facts = listMessageFacts(
    removed.map(({ message }) => message),
    isWritten,
  );
  return facts.flatMap(({ class: of, at, quote, terms }) => {
    const asked = GAPS[of];
    const { head } = removed[at] ?? {};
    const sentence = toOneLine(quote ?? '');
    const answer = terms
      .filter((term) => term.length >= SHORTEST && sentence.includes(term))
      .reduce((longest, term) => (term.length > longest.length ? term : longest), '');
    if (!asked || !head || answer === '' || sentence.length > LONGEST_SENTENCE) return [];
    const gapped = sentence.replaceAll(answer, '____');
    // A sentence without other words does not say what is asked.
    if ((gapped.match(/\p{L}{2,}/gu) ?? []).length < FEWEST_WORDS) return [];
    return [toQuestion(asked.kind, `${asked.what}, which words are left out? ${gapped}`, [answer], head)];
  });
}

const GAPS: Partial<Record<FactClass, { readonly kind: Question['kind']; readonly what: string }>> = {
  instructions: { kind: 'instruction', what: 'In this instruction of the user' },
  corrections: { kind: 'correction', what: 'In this correction of the user' },
  decisions: { kind: 'decision', what: 'In this decision of the assistant' },
  errors: { kind: 'error', what: 'In this error of a tool' },
};

/** In UTF-16 code units: shorter answers are in any text. */
const SHORTEST = 2;
const LONGEST_SENTENCE = 400;
const FEWEST_WORDS = 3;

function toQuestion(kind: Question['kind'], question: string, answers: readonly string[], head: Head): Question {
  return { kind, question, answers: [...answers], entryId: formatId(head.id), line: head.line };
}
