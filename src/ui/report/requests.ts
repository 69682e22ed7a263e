import { CATEGORIES } from '#analysis/stats/session-stats.js';
import { asString } from '#base/json.js';
import { onceFor } from '#base/once.js';
import { modelName } from '#base/words.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { MESSAGE_TYPES } from '#context/replay/selection.js';
import { firstLevel } from '#context/replay/settings.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import { modelOfChange, roleOfChange } from '#session/model-change.js';
import type { Head } from '#session/table/head.js';
import { forestOf } from '#session/tree/forest.js';
import { answersRequest, pathTo, type Tree } from '#session/tree/tree.js';
import { withoutTexts } from './blocks.js';
import type { RequestColumns } from './data.js';
import { deriveRequests, GrowingList, loggedMessages } from './derived-requests.js';
import type { Collected, RequestLists, RequestSource } from './request-source.js';

/** The requests of the path, and those of other branches within a limit on the work. */
export function requestColumns(source: RequestSource): RequestColumns {
  const lists: RequestLists = {
    entries: [],
    before: [],
    keeps: [],
    ranges: [],
    preambles: [],
    models: [],
    levels: [],
    uncached: [],
    ledgers: [],
  };
  const numbers = new Int32Array(source.session.tree.heads.length).fill(-1);
  const follow = (path: readonly Head[], isReported: boolean): void => {
    new RequestWalk(source, path, { lists, numbers }).walk(isReported);
  };
  follow(source.path, true);
  const onPath = lists.entries.length;
  const derive = (): void => deriveRequests(source, { lists, numbers });
  derive();
  const leftOut = followBranches(source.session.tree, numbers, (path) => {
    follow(path, false);
    derive();
  });
  return { ...lists, onPath, leftOut };
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

/** The number of replay slots taken over into the list, and the list's length at that point. */
interface Mark {
  readonly taken: number;
  readonly length: number;
}

const BEGINNING: Mark = { taken: 0, length: 0 };

/** Follows one path from its root, and records each request that no earlier path has. */
class RequestWalk {
  private readonly walked: ContextWalk;
  private readonly list: GrowingList;
  private taken = 0;
  /** The entries since the last takeover, whose messages are not in the list yet. */
  private readonly fresh = new Set<number>();
  private marks: Mark[] = [];
  private readonly preambleOf: (declared: EnvelopeContent) => number;
  private model: number;
  private level: string;
  private logged: Head | null = null;
  /** The newest request on this path. */
  private last = -1;

  constructor(
    private readonly source: RequestSource,
    path: readonly Head[],
    private readonly to: Collected,
  ) {
    const { readPatch, baseline } = source;
    const session = withoutTexts(source.session, path, source.stored);
    this.walked = walk(session, path, { readPatch, baseline, lenient: true });
    const { replay } = this.walked;
    this.level = firstLevel(session);
    this.preambleOf = onceFor((declared) => source.pieces.numberOf(declared, replay.declaredAsSent().tools));
    this.list = new GrowingList(source.pool, CATEGORIES.length);
    const model = modelName(null);
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
    if (head.type === 'compaction' || head.type === 'context_transform') this.cutTo(BEGINNING);
    // Logged messages belong to the request before any other message.
    if (head.type === 'ephemeral') this.logged = head;
    else if (MESSAGE_TYPES.has(head.type)) this.logged = null;
  }

  /** The model of a request is the model of its answer. */
  private note(head: Head): void {
    const { session, words } = this.source;
    if (head.type === 'thinking_level_change') this.level = asString(session.entry(head)['thinkingLevel']) ?? 'off';
    if (head.type !== 'model_change' || roleOfChange(session.entry(head)) !== null) return;
    const model = modelName(modelOfChange(session.entry(head)));
    this.model = words.numberOf(model, () => model);
  }

  private request(head: Head): void {
    this.model = this.source.models[head.index] ?? this.model;
    const known = this.to.numbers[head.index] ?? -1;
    if (known === -1) {
      this.to.numbers[head.index] = this.emit(head.index);
      return;
    }
    this.take();
    this.list.patch();
    this.last = known;
  }

  /** Adds a request, and returns its number. */
  private emit(entry: number): number {
    const { lists } = this.to;
    const { words, pieces } = this.source;
    this.take();
    const { keep, ranges } = this.list.patch();
    const preamble = this.preambleOf(this.walked.replay.declared());
    lists.before.push(this.last);
    lists.keeps.push(keep);
    lists.ranges.push(ranges);
    lists.preambles.push(preamble);
    lists.models.push(this.model);
    lists.levels.push(words.numberOf(this.level, () => this.level));
    const { system, tools } = pieces.tokensOf(preamble);
    for (const [at, name] of CATEGORIES.entries()) {
      const declared = name === 'system' ? system : name === 'tool definitions' ? tools : 0;
      lists.ledgers.push(declared + (this.list.sums[at] ?? 0));
    }
    this.last = lists.entries.push(entry) - 1;
    const uncached = this.logged ? loggedMessages(this.source, this.logged) : [];
    if (uncached.length > 0) lists.uncached.push([this.last, uncached]);
    return this.last;
  }

  /** Takes over appended messages. */
  private take(): void {
    const { sent, next } = this.walked.replay.messages.sentFrom(this.taken);
    for (const { message, from } of sent) this.list.append(this.source.forms.numberOf(message, from));
    this.taken = next;
    this.fresh.clear();
    if (this.list.length > (this.marks.at(-1)?.length ?? 0)) this.marks.push({ taken: next, length: this.list.length });
  }

  /** Keeps the list up to the target of an edit, because there may be thousands of edits in a row. */
  private goBackTo(edit: Head): void {
    const { session, pool } = this.source;
    const target = session.tree.heads.targetAt(edit.index);
    if (this.fresh.has(target)) return;
    const place = this.list.lastPlace((number) => pool.messages[number]?.entry === target);
    while ((this.marks.at(-1)?.length ?? -1) > place) this.marks.pop();
    this.cutTo(this.marks.at(-1) ?? BEGINNING);
  }

  private cutTo(mark: Mark): void {
    if (mark === BEGINNING) this.marks = [];
    this.list.cutTo(mark.length);
    this.taken = mark.taken;
  }
}
