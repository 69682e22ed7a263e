import { type Breach, CLAUSES } from '../drive/breaches/clauses.js';
import { driveToEnd } from '../drive/drive.js';
import type { Driven, DriveProgress } from '../drive/driven-request.js';
import { type EngineFailure, findBrokenClause } from '../drive/failure.js';
import type { CheckBreach, CheckFailure } from './document.js';

type Breaches = readonly CheckBreach[];

export interface TallyOptions {
  /** The first request. */
  readonly from: number;
  /** The part of the drive that counts: a session that is driven again repeats what was counted already. */
  readonly counts: 'everything' | 'breaches' | 'nothing';
  /** Receives each request once its breaches are counted. */
  readonly onDriven?: (driven: Driven) => void;
}

/** Counts what an engine does in several drives, and where it breaks the contract. */
export class CheckTally {
  readonly totals = { requests: 0, compactions: 0, rewrites: 0, overflows: 0, peakTokens: 0 };
  private readonly broken = new Map<string, Breaches[number]>();
  /** The request that is at work, which a breach or a failure names. */
  private request = 1;

  /** Drives to the end. Returns the failure that ended it; null if there was none. */
  async drive(
    driving: AsyncGenerator<Driven, DriveProgress>,
    { from, counts, onDriven }: TallyOptions,
  ): Promise<CheckFailure | null> {
    this.request = from;
    const failure = await driveToEnd(driving, (step) => {
      // The last step has no request, only what happened after the newest one.
      const driven = 'request' in step ? step : null;
      if (driven) this.request = driven.request;
      if (counts !== 'nothing') for (const breach of step.breaches) this.note(breach);
      if (driven) onDriven?.(driven);
      if (counts === 'everything') this.addProgress(step);
      if (counts === 'everything' && driven) this.addRequest(driven);
      if (driven) this.request += 1;
    });
    return failure && this.describeFailure(failure);
  }

  /** Counts a breach at the current request. */
  note({ clause, method, message }: Breach): void {
    const earlier = this.broken.get(clause);
    const first = earlier ?? { clause, sentence: CLAUSES[clause], method, message, request: this.request };
    this.broken.set(clause, { ...first, times: (earlier?.times ?? 0) + 1 });
  }

  /** The first breach of each clause. */
  get breaches(): Breaches {
    return [...this.broken.values()];
  }

  private addProgress({ compactions, rewrites }: DriveProgress): void {
    this.totals.compactions += compactions.filter(({ result }) => result.compacted).length;
    this.totals.rewrites += rewrites.filter(({ changed }) => changed).length;
  }

  private addRequest({ assembled, overflow }: Driven): void {
    const { totals } = this;
    totals.requests += 1;
    totals.overflows += overflow ? 1 : 0;
    totals.peakTokens = Math.max(totals.peakTokens, assembled.tokens);
  }

  private describeFailure(failure: EngineFailure): CheckFailure | null {
    const { kind, method, message } = failure;
    const clause = findBrokenClause(failure);
    return { kind, method, message, request: this.request, clause, sentence: clause && CLAUSES[clause] };
  }
}
