import { asString } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { toLenient } from '#context/lenient.js';
import { formatModel } from '#context/models/model-name.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { chooseInitialThinkingLevel, readModelChange } from '#context/replay/settings.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { CollectedRequests } from './collected-requests.js';
import type { RequestSource } from './request-source.js';
import { stripTexts } from './strip-texts.js';

/** A place to go back to in the tree of messages. */
interface Mark {
  /** The number of replay slots that were taken over until then. */
  readonly taken: number;
  /** The last message then, in the tree; -1 for none. */
  readonly last: number;
}

const BEGINNING: Mark = { taken: 0, last: -1 };

/** Follows one path from its root, and records each request that no earlier path has. */
export class RequestWalk {
  private readonly contextWalk: ContextWalk;
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
    private readonly requests: CollectedRequests,
  ) {
    const { baseline } = source;
    const session = stripTexts(source.session, path, source.stored);
    this.contextWalk = walk(toLenient(session), path, { baseline });
    const { replay } = this.contextWalk;
    this.level = chooseInitialThinkingLevel(session);
    this.preambleOf = memoizeLast((declared) => source.pieces.numberOf(declared, replay.declaredAsSent().tools));
    const model = formatModel(null);
    this.model = source.words.numberOf(model, () => model);
  }

  /** `isReported`: include the next request. */
  walk(isReported: boolean): void {
    for (const step of this.contextWalk.steps) this.takeStep(step);
    if (isReported) this.addRequest(-1);
  }

  private takeStep(step: WalkStep): void {
    const { head } = step;
    if (answersRequest(head)) this.recordAnswered(head);
    this.noteSettings(head);
    if (head.type === 'context_edit') this.goBackTo(head);
    step.take();
    this.fresh.add(head.index);
    if (head.type === 'compaction' || head.type === 'context_transform') this.marks = [BEGINNING];
    // Logged messages belong to the request before any other message.
    if (head.type === 'ephemeral') this.logged = head;
    else if (MESSAGE_TYPES.has(head.type)) this.logged = null;
  }

  /** The model of a request is the model of its answer. */
  private noteSettings(head: Head): void {
    const { session, words } = this.source;
    if (head.type === 'thinking_level_change') {
      const { thinkingLevel } = session.entry(head);
      this.level = asString(thinkingLevel) ?? 'off';
    }
    if (head.type !== 'model_change') return;
    const model = formatModel(readModelChange(session.entry(head)));
    this.model = words.numberOf(model, () => model);
  }

  private recordAnswered(head: Head): void {
    this.model = this.source.models[head.index] ?? this.model;
    const number = this.requests.numbers[head.index] ?? -1;
    if (number === -1) this.addRequest(head.index);
    else this.before = number;
  }

  private addRequest(entry: number): void {
    const { words } = this.source;
    this.before = this.requests.add({
      entry,
      before: this.before,
      last: this.takeOver(),
      preamble: this.preambleOf(this.contextWalk.replay.declared()),
      model: this.model,
      level: words.numberOf(this.level, () => this.level),
      logged: this.logged,
    });
  }

  /** Takes over appended messages, and returns the last one. */
  private takeOver(): number {
    let { taken, last } = this.marks.at(-1) ?? BEGINNING;
    const { sent, next } = this.contextWalk.replay.messages.listSentFrom(taken);
    for (const { message, from } of sent)
      last = this.requests.tree.append(last, this.source.forms.numberOf(message, from));
    this.fresh.clear();
    this.marks.push({ taken: next, last });
    return last;
  }

  /** Keeps the messages before the target of an edit, because there may be thousands of edits in a row. */
  private goBackTo(edit: Head): void {
    const target = this.source.session.tree.heads.targetAt(edit.index);
    if (this.fresh.has(target)) return;
    const { previous, messages } = this.requests.tree;
    let place = this.marks.at(-1)?.last ?? -1;
    while (place !== -1 && this.source.pool.entries[messages[place] ?? -1] !== target) place = previous[place] ?? -1;
    // A message comes after those before it in the tree.
    while ((this.marks.at(-1)?.last ?? -2) >= place) this.marks.pop();
  }
}
