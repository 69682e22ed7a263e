import { asString } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { formatModel } from '#context/models/model-name.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { MESSAGE_TYPES } from '#context/replay/selection.js';
import { initialThinkingLevel, readModelChange, readModelRole } from '#context/replay/settings.js';
import { CATEGORIES } from '#context/size/composition.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';
import { forestOf } from '#session/tree/forest.js';
import { pathTo, type Tree } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import { stripTexts } from './blocks.js';
import type { RequestColumns } from './document.js';
import { CollectedRequests, estimateSizes, type RequestSource } from './request-source.js';

/** The requests of the path, and those of other branches within a limit on the work. */
export function buildRequestColumns(source: RequestSource): RequestColumns {
  const to = new CollectedRequests(source);
  const follow = (path: readonly Head[], isReported: boolean): void =>
    new RequestWalk(source, path, to).walk(isReported);
  follow(source.path, true);
  const onPath = to.columns.entries.length;
  const estimated = estimateSizes(source, to.columns);
  deriveRequests(source, to);
  const leftOut = followBranches(source.session.tree, to.numbers, (path) => {
    follow(path, false);
    deriveRequests(source, to);
  });
  const ledgers = to.columns.ledgers.subarray(0, to.columns.entries.length * CATEGORIES.length);
  return { ...to.columns, ledgers, estimated, onPath, leftOut };
}

/** The maximum steps per entry for branches that are replayed from their roots. */
const STEPS_PER_ENTRY = 4;
const LEAST_STEPS = 20_000;
/** A scan of all entries takes about as long as a replay of this share of them. */
const SHARE_OF_ALL = 0.1;

/** Follows branches, newest first. Returns the number of omitted requests. */
function followBranches(tree: Tree, numbers: Int32Array, follow: (path: readonly Head[]) => void): number {
  const { length } = tree.heads;
  let steps = Math.max(LEAST_STEPS, length * STEPS_PER_ENTRY);
  const answers = [...forestOf(tree).order].filter((index) => tree.heads.roleAt(index) === 'assistant');
  for (const end of lastAnswers(tree, answers, numbers)) {
    const head = tree.heads.at(end);
    if (!head || numbers[end] !== -1) continue;
    const path = pathTo(tree, head);
    steps -= path.length + length * SHARE_OF_ALL;
    if (steps < 0) break;
    follow(path);
  }
  return answers.filter((index) => numbers[index] === -1).length;
}

/** The unknown answers without another one below them, newest first. */
function lastAnswers({ heads }: Tree, answers: readonly number[], numbers: Int32Array): readonly number[] {
  const isAbove = new Uint8Array(heads.length);
  const ends = new Set<number>();
  // Descendants come first.
  for (const answer of answers.toReversed()) {
    if (numbers[answer] !== -1) continue;
    if (isAbove[answer] === 0) ends.add(answer);
    for (let at = heads.parentAt(answer); at !== -1 && isAbove[at] === 0; at = heads.parentAt(at)) isAbove[at] = 1;
  }
  return [...ends].toSorted((a, b) => b - a);
}

/** The number of replay slots taken over into the tree of messages, and the last message then. */
interface Mark {
  readonly taken: number;
  readonly last: number;
}

const BEGINNING: Mark = { taken: 0, last: -1 };

/** Follows one path from its root, and records each request that no earlier path has. */
class RequestWalk {
  private readonly walked: ContextWalk;
  /** The last place is the current one; the others are before it. */
  private marks: Mark[] = [BEGINNING];
  /** The entries since the last takeover, whose messages are not in the tree yet. */
  private readonly fresh = new Set<number>();
  private readonly preambleOf: (declared: EnvelopeContent) => number;
  private model: number;
  private level: string;
  private logged: Head | null = null;
  /** The newest request on this path. */
  private before = -1;

  constructor(
    private readonly source: RequestSource,
    path: readonly Head[],
    private readonly to: CollectedRequests,
  ) {
    const { readPatch, baseline } = source;
    const session = stripTexts(source.session, path, source.stored);
    this.walked = walk(session, path, { readPatch, baseline, lenient: true });
    const { replay } = this.walked;
    this.level = initialThinkingLevel(session);
    this.preambleOf = memoizeLast((declared) => source.pieces.numberOf(declared, replay.declaredAsSent().tools));
    const model = formatModel(null);
    this.model = source.words.numberOf(model, () => model);
  }

  /** `isReported`: include the next request. */
  walk(isReported: boolean): void {
    for (const step of this.walked.steps) this.step(step);
    if (isReported) this.emit(-1);
  }

  private step(step: WalkStep): void {
    const { head } = step;
    if (answersRequest(head)) this.request(head);
    this.note(head);
    if (head.type === 'context_edit') this.goBackTo(head);
    step.take();
    this.fresh.add(head.index);
    if (head.type === 'compaction' || head.type === 'context_transform') this.marks = [BEGINNING];
    // Logged messages belong to the request before any other message.
    if (head.type === 'ephemeral') this.logged = head;
    else if (MESSAGE_TYPES.has(head.type)) this.logged = null;
  }

  /** The model of a request is the model of its answer. */
  private note(head: Head): void {
    const { session, words } = this.source;
    if (head.type === 'thinking_level_change') this.level = asString(session.entry(head)['thinkingLevel']) ?? 'off';
    if (head.type !== 'model_change' || readModelRole(session.entry(head)) !== null) return;
    const model = formatModel(readModelChange(session.entry(head)));
    this.model = words.numberOf(model, () => model);
  }

  private request(head: Head): void {
    this.model = this.source.models[head.index] ?? this.model;
    const known = this.to.numbers[head.index] ?? -1;
    if (known === -1) this.emit(head.index);
    else this.before = known;
  }

  private emit(entry: number): void {
    const { words } = this.source;
    this.before = this.to.add({
      entry,
      before: this.before,
      last: this.take(),
      preamble: this.preambleOf(this.walked.replay.declared()),
      model: this.model,
      level: words.numberOf(this.level, () => this.level),
      logged: this.logged,
    });
  }

  /** Takes over appended messages, and returns the last one. */
  private take(): number {
    let { taken, last } = this.marks.at(-1) ?? BEGINNING;
    const { sent, next } = this.walked.replay.messages.sentFrom(taken);
    for (const { message, from } of sent) last = this.to.append(last, this.source.forms.numberOf(message, from));
    this.fresh.clear();
    this.marks.push({ taken: next, last });
    return last;
  }

  /** Keeps the messages before the target of an edit, because there may be thousands of edits in a row. */
  private goBackTo(edit: Head): void {
    const target = this.source.session.tree.heads.targetAt(edit.index);
    if (this.fresh.has(target)) return;
    const { previous, messages } = this.to.columns;
    let place = this.marks.at(-1)?.last ?? -1;
    while (place !== -1 && this.source.pool.entries[messages[place] ?? -1] !== target) place = previous[place] ?? -1;
    // A message comes after those before it in the tree.
    while ((this.marks.at(-1)?.last ?? -2) >= place) this.marks.pop();
  }
}

/** Derives requests of other branches from known ones without a replay, if they only add messages: nearly all do. */
function deriveRequests(source: RequestSource, to: CollectedRequests): void {
  const { heads } = source.session.tree;
  if (!heads.areParentsAbove() || !isPlain(heads)) return;
  const derivation = new Derivation(source, to);
  for (let index = 0; index < heads.length; index += 1)
    if (heads.roleAt(index) === 'assistant' && to.numbers[index] === -1) derivation.derive(index);
}

/** Whether every id is unique, and every edit follows its target. */
function isPlain(heads: Heads): boolean {
  for (let index = 0; index < heads.length; index += 1) if (heads.entryOfIdAt(index) !== index) return false;
  for (const { index } of heads.ofType('context_edit')) if (heads.targetAt(index) >= index) return false;
  return true;
}

/** Entries that change more than the end of the message list. */
const CHANGES: ReadonlySet<string | null> = new Set([
  'compaction',
  'context_transform',
  'context_edit',
  'thinking_level_change',
]);

class Derivation {
  private readonly isBlocked: Uint8Array;

  constructor(
    private readonly source: RequestSource,
    private readonly to: CollectedRequests,
  ) {
    this.isBlocked = new Uint8Array(to.numbers.length);
  }

  derive(answer: number): void {
    const between = this.entriesSince(answer);
    if (between === null) {
      this.isBlocked[answer] = 1;
      return;
    }
    const { source, to } = this;
    const { lasts, preambles, levels } = to.columns;
    const before = to.numbers[between[0] ?? -1] ?? -1;
    let last = lasts[before] ?? -1;
    for (const entry of between) {
      const message = source.stored[entry] ?? -1;
      if (message !== -1) last = to.append(last, message);
    }
    const [preamble, level] = [preambles[before] ?? 0, levels[before] ?? 0];
    const model = source.models[answer] ?? 0;
    to.add({ entry: answer, before, last, preamble, model, level, logged: this.loggedIn(between) });
  }

  /** The entries from the previous answer to this one; null if they do not suffice to derive the request. */
  private entriesSince(answer: number): readonly number[] | null {
    const { heads } = this.source.session.tree;
    const entries: number[] = [];
    for (let at = heads.parentAt(answer); at !== -1; at = heads.parentAt(at)) {
      if (this.isBlocked[at] === 1 || CHANGES.has(heads.typeAt(at)) || heads.roleAt(at) === 'system') return null;
      entries.push(at);
      if ((this.to.numbers[at] ?? -1) !== -1) return entries.toReversed();
    }
    return null;
  }

  private loggedIn(entries: readonly number[]): Head | null {
    const { heads } = this.source.session.tree;
    const last = entries.findLast((entry) => {
      const type = heads.typeAt(entry);
      return type === 'ephemeral' || MESSAGE_TYPES.has(type);
    });
    const head = heads.at(last ?? -1);
    return head?.type === 'ephemeral' ? head : null;
  }
}
