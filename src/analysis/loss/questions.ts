import { asString, type JsonObject, listObjects } from '#base/json.js';
import { baseName } from '#base/paths.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import { readSearchableText } from '#context/words/message-blocks.js';
import { formatId, type Head } from '#session/heads/head.js';
import { splitSentences } from '../facts/sentences.js';
import { readMessageText, toOneLine } from '../facts/text.js';
import { findFileUse, listToolUses } from '../facts/tool-uses.js';
import { openBoundary } from './audit.js';
import { type FactClass, listMessageFacts } from './fact-classes.js';
import type { KnownFiles } from './known-files.js';
import { readSentMessage } from './lost-facts.js';
import { type Question, QUESTION_KINDS } from './question-file.js';
import { containsName } from './summary-mentions.js';
import { findChangedValues, findSettings, findStatedValue } from './values.js';

/** The questions about a compaction, and the text that is to answer them. */
export interface Exam {
  readonly boundary: Head;
  readonly summary: string;
  readonly questions: readonly Question[];
}

/**
 * Questions whose answers a compaction removed from the context. By rule they ask for the file of an edit, for a value
 * that an edit changed or a new file has, and for a name or a value that is left out of an instruction, a decision or
 * an error. What the kept messages answer is not asked. Throws like `auditLoss`.
 */
export function buildExam(session: OpenSession, at: Head): Exam | null {
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
  const all = [
    ...listEditQuestions(removed, files.files),
    ...listStatedValues(removed),
    ...listGapQuestions(removed),
  ].toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
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

/** Chooses up to `MOST` questions of a kind, evenly spread over the session. */
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
    const distinct = byText.get(question) ?? new Set();
    byText.set(question, distinct.add(answers[0] ?? ''));
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
    const content = asString(use.args['content'] ?? use.args['file_text']) ?? '';
    return [
      ...askForSettings(file.path, '', content, head),
      ...listEdits(file.path, use.args).flatMap((edit) => [
        ...askForFile(edit, files.namesOf(edit.path), head),
        ...askForChanges(edit, head),
        ...askForSettings(edit.path, edit.before, edit.after, head),
      ]),
    ];
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

/** Asks for the new values of names that an edit changed. */
function askForChanges({ path, before, after }: Edit, head: Head): readonly Question[] {
  return findChangedValues(before, after).map(({ name, old, value }) =>
    toQuestion('value', `In ${baseName(path)}, ${name} was changed from ${old} to which value?`, [value], head),
  );
}

/** Asks for the settings of a new file, and for those that an edit added. */
function askForSettings(path: string, before: string, after: string, head: Head): readonly Question[] {
  if (EXAMPLES.test(path)) return [];
  const earlierNames = new Set(findSettings(before).map(({ name }) => name));
  return findSettings(after)
    .filter(({ name }) => !earlierNames.has(name))
    .map(({ name, value }) =>
      toQuestion('value', `In ${baseName(path)}, which value does ${name} have?`, [value], head),
    );
}

/** Documents and tests: the values in them are examples. */
const EXAMPLES = /\.(?:mdx?|txt|rst|adoc)$|(?:^|[/\\._-])(?:tests?|specs?|fixtures?|mocks?)(?=[/\\._-])/i;

function splitLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** The limit in UTF-16 code units: a shorter line is in many files, and a longer one is no sentence. */
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
    if (!asked || !head || sentence.length > LONGEST_SENTENCE) return [];
    const name = terms
      .filter((term) => term.length >= SHORTEST && sentence.includes(term))
      .reduce((longest, term) => (term.length > longest.length ? term : longest), '');
    return askForGap(asked.kind, `${asked.what}, which words are left out?`, { sentence, answer: name, head });
  });
}

/** Sentences of the user and of the assistant that decide a value, with a gap in place of it. */
function listStatedValues(removed: readonly Sent[]): readonly Question[] {
  const stated = removed.flatMap(({ head, message }) => {
    const what = findSpeaker(head, message);
    if (what === null || message.role === 'toolResult' || findSummaryText(message) !== null) return [];
    return splitSentences(readMessageText(message)).flatMap((sentence) => {
      const answer = sentence.length > LONGEST_SENTENCE ? null : findStatedValue(sentence);
      if (answer === null) return [];
      return askForGap('value', `In this sentence of ${what}, which value is left out?`, { sentence, answer, head });
    });
  });
  // People repeat a value that matters, and one question about it is enough.
  const asked = new Set<string | undefined>();
  return stated.filter(({ answers: [answer] }) => !asked.has(answer) && asked.add(answer));
}

function findSpeaker(head: Head, message: LlmMessage): string | null {
  if (message.role === 'assistant') return 'the assistant';
  // Extensions and hooks send their messages with the role of the user.
  return head.role === 'user' ? 'the user' : null;
}

interface Gap {
  readonly sentence: string;
  readonly answer: string;
  readonly head: Head;
}

/** Asks for the words that a gap replaces. A sentence without other words does not say what is asked. */
function askForGap(kind: Question['kind'], ask: string, { sentence, answer, head }: Gap): readonly Question[] {
  if (answer === '') return [];
  const gapped = sentence.replaceAll(answer, '____');
  if ((gapped.match(/\p{L}{2,}/gu) ?? []).length < FEWEST_WORDS) return [];
  return [toQuestion(kind, `${ask} ${gapped}`, [answer], head)];
}

const GAPS: Partial<Record<FactClass, { readonly kind: Question['kind']; readonly what: string }>> = {
  instructions: { kind: 'instruction', what: 'In this instruction of the user' },
  corrections: { kind: 'correction', what: 'In this correction of the user' },
  decisions: { kind: 'decision', what: 'In this decision of the assistant' },
  errors: { kind: 'error', what: 'In this error of a tool' },
};

/** The limit in UTF-16 code units: shorter answers are in any text. */
const SHORTEST = 2;
const LONGEST_SENTENCE = 400;
const FEWEST_WORDS = 3;

function toQuestion(kind: Question['kind'], question: string, answers: readonly string[], head: Head): Question {
  return { kind, question, answers: [...answers], entryId: formatId(head.id), line: head.line };
}
