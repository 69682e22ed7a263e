import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Printable } from '#ui/doc/renderer.js';
import { LONGEST_REQUEST, readRequestLines } from '../rpc/request-lines.js';

/** Requests without an answer; then no more are read until one is answered. */
const MOST_WAITING = 2000;

/**
 * Messages of a client, one per line. At the end of its input, the requests are answered before the connection closes.
 */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  private outgoing: unknown[] = [];
  private readonly unanswered = new Set<unknown>();
  private isClosed = false;
  private wake: () => void = () => {};
  private answered: () => void = () => {};

  constructor(
    private readonly input: AsyncIterable<Uint8Array>,
    private readonly readMessage: (value: unknown) => JSONRPCMessage,
  ) {}

  start(): Promise<void> {
    void this.read().finally(() => this.close());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) this.settle(message.id);
    this.outgoing.push(message);
    this.wake();
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.isClosed = true;
    this.wake();
    this.answered();
    this.onclose?.();
    return Promise.resolve();
  }

  /** The messages to the client, until the connection closes. */
  async *sent(): AsyncGenerator<readonly Printable[]> {
    try {
      while (this.outgoing.length > 0 || !this.isClosed) {
        const batch = this.outgoing;
        this.outgoing = [];
        if (batch.length > 0) yield batch.map((data) => ({ data, doc: () => [] }));
        else
          await new Promise<void>((resolve) => {
            this.wake = resolve;
          });
      }
    } finally {
      await this.close();
    }
  }

  private async read(): Promise<void> {
    for await (const line of readRequestLines(this.input)) {
      if (this.isClosed) return;
      if (line === null) this.refuse(-32600, `the line is longer than ${LONGEST_REQUEST} bytes`);
      else this.take(line);
      await this.until(MOST_WAITING);
    }
    await this.until(1);
  }

  /** Waits until fewer requests are unanswered. */
  private async until(fewer: number): Promise<void> {
    while (this.unanswered.size >= fewer && !this.isClosed)
      await new Promise<void>((resolve) => {
        this.answered = resolve;
      });
  }

  private take(line: string): void {
    const message = this.messageIn(line);
    if (!message) return;
    if ('method' in message && 'id' in message) this.unanswered.add(message.id);
    this.onmessage?.(message);
    if ('method' in message && message.method === 'notifications/cancelled') this.settle(message.params?.requestId);
  }

  private messageIn(line: string): JSONRPCMessage | null {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.refuse(-32700, 'not JSON');
      return null;
    }
    try {
      return this.readMessage(value);
    } catch {
      this.refuse(-32600, 'not a message of JSON-RPC');
      return null;
    }
  }

  private settle(id: unknown): void {
    this.unanswered.delete(id);
    this.answered();
  }

  private refuse(code: number, message: string): void {
    this.outgoing.push({ jsonrpc: '2.0', id: null, error: { code, message } });
    this.wake();
  }
}
