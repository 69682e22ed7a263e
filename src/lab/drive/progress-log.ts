import type { Clause } from './breaches/clauses.js';
import type { DriveProgress } from './driven-request.js';

type OpenProgress = { readonly [Part in keyof DriveProgress]: DriveProgress[Part][number][] };

function beginProgress(): OpenProgress {
  return { compactions: [], rewrites: [], deeds: [], breaches: [], summaries: [], recordedSummaries: [] };
}

/** The changes of the context from request to request, noted as they happen. */
export class ProgressLog {
  /** The changes since the newest request. */
  sinceRequest = beginProgress();

  /** The changes since the newest request; those of the next one begin. */
  take(): DriveProgress {
    const taken = this.sinceRequest;
    this.sinceRequest = beginProgress();
    return taken;
  }

  /**
   * Notes a sentence of the contract that a method broke. `message`: the breach in a sentence; null: there was none.
   */
  noteBreach(method: string, clause: Clause, message: string | null): void {
    if (message !== null) this.sinceRequest.breaches.push({ clause, method, message });
  }
}
