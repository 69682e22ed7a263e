import { CtxError } from '#base/errors.js';
import { listFileWarnings } from '#cli/sessions/file-result.js';
import type { SimulatedOf } from '#cli/sessions/jobs/simulate.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { SimulationSummary, Sums } from '#lab/simulate/document.js';
import { toSimulationOptions } from '#lab/simulate/simulate.js';
import { type SessionSums, summarizeSimulations, toSessionSums } from '#lab/simulate/summary.js';
import { addSums } from '#lab/simulate/sums.js';
import type { OutcomeEnd } from '../define.js';
import type { SimulateWork } from './run-simulations.js';
import { describeVerdict } from './verdict.js';

/** The summary of all sessions. `billed`: the recorded costs and tokens; null if none are recorded. */
interface SummarizedRun {
  readonly summary: SimulationSummary;
  readonly billed: Sums | null;
}

/** Collects what the end of the report needs of each session. */
export class SimulationTally {
  private readonly sessions: SessionSums[] = [];
  private readonly recorded: Sums[] = [];
  private readonly unreadable: { file: string; error: string }[] = [];
  private readonly damaged: string[] = [];
  private hasFailed = false;

  take(done: SimulatedOf): void {
    if (!done.ok) {
      this.unreadable.push({ file: done.file, error: done.error });
      return;
    }
    const { simulation, isDamaged, file } = done;
    this.sessions.push(toSessionSums(simulation));
    if (simulation.recorded) this.recorded.push(simulation.recorded);
    if (isDamaged) this.damaged.push(file);
    if (simulation.engines.some(({ failure, breaches }) => failure !== null || breaches.length > 0))
      this.hasFailed = true;
  }

  /** Throws a CtxError (input) if no session could be read. */
  refuseNothing(): void {
    const [first] = this.unreadable;
    if (this.sessions.length > 0 || !first) return;
    throw new CtxError('input', `no session could be simulated: ${first.error}`, { where: first.file });
  }

  summarize({ names, options }: SimulateWork): SummarizedRun {
    const { sessions, unreadable, recorded } = this;
    const summed = summarizeSimulations({ sessions, unreadable, names, options: toSimulationOptions(options) });
    return {
      summary: { ...summed, verdict: describeVerdict(summed.engines, summed) },
      billed: recorded.length === 0 ? null : addSums(recorded),
    };
  }

  buildEnd(files: readonly NamedFile[]): OutcomeEnd {
    const [only, ...others] = files;
    const problems = listFileWarnings(this.unreadable, this.damaged);
    const exitCode = this.hasFailed ? 1 : 0;
    return { problems, exitCode, file: others.length === 0 ? only?.file : undefined };
  }
}
