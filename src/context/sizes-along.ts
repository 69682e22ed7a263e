import type { Head } from '../session/head.js';
import type { Session } from '../session/session.js';
import type { Baseline } from './baseline.js';
import { Growth, type SizePoint } from './growth.js';
import type { ReadPatch } from './patch-step.js';
import { Replay } from './replay.js';
import { settingsOf } from './settings.js';
import { appendedSize, changedSize, type CountedSize, sizesFrom, unrecordedSize } from './size.js';
import { type RecordedRequest, sizeStepOf } from './size-step.js';
import { BY_CHARACTERS } from './tokens.js';

interface Walked {
  readonly path: readonly Head[];
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
}

/** The last recorded answer so far, and what came after it. */
interface Anchor {
  readonly index: number;
  readonly request: RecordedRequest;
  appended: number;
  isChanged: boolean;
  /** The estimate at the answer, and at the first recorded request since the last compaction, where it was needed. */
  atAnswer: { readonly estimated: number; readonly first: SizePoint | null } | null;
}

/**
 * The sizes of the context after entries of a path, each as `contextSize` gives it, to be asked for from the root down.
 * Each entry is parsed once, and replayed only where the counts of a provider do not tell.
 */
export class SizesAlong {
  private readonly growth = new Growth();
  private anchor: Anchor | null = null;
  private newestOfModel: Head | null = null;
  private replay: Replay | null = null;
  private taken = 0;
  private replayed = 0;

  constructor(
    private readonly session: Session,
    private readonly walked: Walked,
  ) {}

  /** Throws a CtxError (input) where a transform breaks a boundary rule. */
  after(index: number): CountedSize {
    for (; this.taken <= index; this.taken += 1) this.take(this.taken);
    const { anchor } = this;
    if (anchor === null)
      return unrecordedSize({ tokens: this.replayTo(index).tokens(), ...this.model() }, BY_CHARACTERS);
    const tail = { request: anchor.request, growth: () => this.growth };
    if (!anchor.isChanged) return appendedSize(tail, anchor.appended, BY_CHARACTERS);
    const { estimated, first } = this.atAnswer(anchor);
    const last = { estimated, counted: anchor.request.total };
    const now = { tokens: this.replayTo(index).tokens(), ...this.model() };
    return changedSize(tail, { first, last }, now, BY_CHARACTERS);
  }

  private take(index: number): void {
    const head = this.walked.path[index];
    if (!head) return;
    if (head.type === 'model_change' || head.role === 'assistant') this.newestOfModel = head;
    const step = sizeStepOf(this.session, head, BY_CHARACTERS);
    if (step === null) return;
    this.growth.take(step);
    if (step.kind === 'message' && step.request)
      this.anchor = { index, request: step.request, appended: 0, isChanged: false, atAnswer: null };
    else if (this.anchor && step.kind === 'message') this.anchor.appended += step.tokens;
    else if (this.anchor) this.anchor.isChanged = true;
  }

  private atAnswer(anchor: Anchor): NonNullable<Anchor['atAnswer']> {
    if (anchor.atAnswer) return anchor.atAnswer;
    const replay = this.replayTo(anchor.index);
    anchor.atAnswer = { estimated: replay.tokens(), first: replay.firstRecorded };
    return anchor.atAnswer;
  }

  private replayTo(index: number): Replay {
    const { path, ...options } = this.walked;
    this.replay ??= new Replay(this.session, path, { ...options, lenient: false, sizesFrom: sizesFrom({ path }) });
    for (; this.replayed <= index; this.replayed += 1) {
      const head = path[this.replayed];
      if (head) this.replay.step(head, this.replayed);
    }
    return this.replay;
  }

  private model(): Pick<ReturnType<typeof settingsOf>, 'model'> {
    return { model: this.newestOfModel && settingsOf(this.session, [this.newestOfModel]).model };
  }
}
