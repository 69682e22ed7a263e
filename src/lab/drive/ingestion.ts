import type { AgentMessage, SessionParams } from '../contract.js';
import { findCountFault } from './breaches/claimed-numbers.js';
import type { CheckedEngine } from './checked-engine.js';
import type { DrivenSession } from './driven-session.js';

type Params = SessionParams & { readonly isHeartbeat?: boolean };

/** Hands messages to an engine, and records the number that it claims to have ingested. */
export class Ingestion {
  private last: {
    readonly messages: readonly AgentMessage[];
    readonly params: Params;
    readonly count: number;
  } | null = null;

  constructor(
    private readonly driven: DrivenSession,
    private readonly engine: CheckedEngine,
  ) {}

  async ingestTurn(messages: readonly AgentMessage[], params: Params): Promise<void> {
    const given = [...messages];
    this.last = { messages: given, params, count: await this.ingest(given, params) };
  }

  /** Hands over the newest message once more: an engine that took it in has to notice. */
  async repeatLast(): Promise<void> {
    const message = this.last?.messages.at(-1);
    if (!this.last || !message || this.last.count < this.last.messages.length) return;
    const again = await this.ingest([message], this.last.params, 'again');
    const method = this.engine.has('ingestBatch') ? 'ingestBatch' : 'ingest';
    const why = again === 0 ? null : 'the newest message was passed again, and ingested a second time';
    this.driven.noteBreach(method, 'ingest-once', why);
  }

  /** The number of messages that the engine claims to have ingested. */
  private async ingest(messages: readonly AgentMessage[], params: Params, about = ''): Promise<number> {
    const { engine, driven } = this;
    if (engine.has('ingestBatch')) {
      const result = await engine.call('ingestBatch', { ...params, messages }, about || String(messages.length));
      const count = result?.ingestedCount ?? 0;
      driven.noteBreach('ingestBatch', 'ingested-count', findCountFault('ingestedCount', count, messages.length));
      return count;
    }
    let count = 0;
    for (const message of messages)
      if ((await engine.call('ingest', { ...params, message }, about))?.ingested) count += 1;
    return count;
  }
}
