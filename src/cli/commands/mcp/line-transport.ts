import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Printable } from '#ui/doc/renderer.js';
import { LONGEST_REQUEST, readRequestLines } from '../rpc/request-lines.js';

/** The most requests without an answer: no more are read until one is answered. */
const MOST_UNANSWERED = 2000;

/**
 * Messages of a client, one per line. At the end of its input, the requests are answered before the connection closes.
 */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  private outgoing: unknown[] = [];
  private readonly unanswered = new Set<unknown>();
  private isClosed = false;
  /** Ends the wait for an outgoing message. */
  private wakeSender: () => void = () => {};
  /** Ends the wait for an answer. */
  private wakeReader: () => void = () => {};

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
    this.wakeSender();
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.isClosed = true;
    this.wakeSender();
    this.wakeReader();
    this.onclose?.();
    return Promise.resolve();
  }

  /** Yields the messages to the client, until the connection closes. */
  async *readOutgoing(): AsyncGenerator<readonly Printable[]> {
    try {
      while (this.outgoing.length > 0 || !this.isClosed) {
        const batch = this.outgoing;
        this.outgoing = [];
        if (batch.length > 0) {
          yield batch.map((data) => ({ data, doc: () => [] }));
          continue;
        }
        await new Promise<void>((resolve) => {
          this.wakeSender = resolve;
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
      else this.receive(line);
      await this.waitForFewer(MOST_UNANSWERED);
    }
    await this.waitForFewer(1);
  }

  /** Waits until fewer than `limit` requests are unanswered. */
  private async waitForFewer(limit: number): Promise<void> {
    while (this.unanswered.size >= limit && !this.isClosed)
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve;
      });
  }

  private receive(line: string): void {
    const message = this.parseMessage(line);
    if (!message) return;
    if ('method' in message && 'id' in message) this.unanswered.add(message.id);
    this.onmessage?.(message);
    if ('method' in message && message.method === 'notifications/cancelled') this.settle(message.params?.requestId);
  }

  /** The message on a line; null for another line, which is refused. */
  private parseMessage(line: string): JSONRPCMessage | null {
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

  /** Notes that a request needs no answer any more. */
  private settle(id: unknown): void {
    this.unanswered.delete(id);
    this.wakeReader();
  }

  private refuse(code: number, message: string): void {
    this.outgoing.push({ jsonrpc: '2.0', id: null, error: { code, message } });
    this.wakeSender();
  }
}
