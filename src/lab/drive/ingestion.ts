import type { AgentMessage, SessionParams } from '../contract.js';
import { findCountFault } from './breaches/claimed-numbers.js';
import type { CheckedEngine } from './checked-engine.js';
import type { ProgressLog } from './progress-log.js';

type IngestionParams = SessionParams & { readonly isHeartbeat?: boolean };

interface IngestedTurn {
  readonly messages: readonly AgentMessage[];
  readonly params: IngestionParams;
  /** The number of messages that the engine claims to have ingested. */
  readonly count: number;
}

/** Hands messages to an engine, and records the number that it claims to have ingested. */
export class Ingestion {
  private newestTurn: IngestedTurn | null = null;

  constructor(
    private readonly engine: CheckedEngine,
    private readonly progress: ProgressLog,
  ) {}

  async ingestTurn(given: readonly AgentMessage[], params: IngestionParams): Promise<void> {
    const messages = [...given];
    this.newestTurn = { messages, params, count: await this.ingest(messages, params) };
  }

  /** Hands over the newest message once more: an engine that took it in has to notice. */
  async repeatLast(): Promise<void> {
    const turn = this.newestTurn;
    const message = turn?.messages.at(-1);
    if (!turn || !message || turn.count < turn.messages.length) return;
    const again = await this.ingest([message], turn.params, 'again');
    const method = this.engine.has('ingestBatch') ? 'ingestBatch' : 'ingest';
    const why = again === 0 ? null : 'the newest message was passed again, and ingested a second time';
    this.progress.noteBreach(method, 'ingest-once', why);
  }

  private async ingest(messages: readonly AgentMessage[], params: IngestionParams, about = ''): Promise<number> {
    const { engine, progress } = this;
    if (engine.has('ingestBatch')) {
      const result = await engine.call('ingestBatch', { ...params, messages }, about || String(messages.length));
      const claimed = result?.ingestedCount ?? 0;
      progress.noteBreach('ingestBatch', 'ingested-count', findCountFault('ingestedCount', claimed, messages.length));
      return claimed;
    }
    let count = 0;
    for (const message of messages) {
      const result = await engine.call('ingest', { ...params, message }, about);
      if (result?.ingested) count += 1;
    }
    return count;
  }
}
