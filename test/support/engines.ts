import { readFileSync } from 'node:fs';
import { defaultPolicy } from '#change/prune/policy.js';
import { openSession } from '#context/open.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { AgentMessage, ContextEngine } from '#lab/contract.js';
import type { DriveOptions, DriveSource, MakeEngine } from '#lab/drive/drive-options.js';
import { driveEngine } from '#lab/drive/drive.js';
import type { Driven, DriveProgress } from '#lab/drive/driven-request.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { type Entry, entry, HEADER, lines } from './entries.js';

/** What a host is set to where a test says nothing else. */
export const SETTINGS: DriveOptions = {
  tokenBudget: null,
  settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
  policy: defaultPolicy(),
};

export interface Drove {
  readonly requests: readonly Driven[];
  readonly end: DriveProgress;
}

/** Drives an engine to the end. */
export async function driveAll(
  source: DriveSource,
  make: MakeEngine,
  options: Partial<DriveOptions> = {},
): Promise<Drove> {
  const requests: Driven[] = [];
  const all = driveEngine(source, make, { ...SETTINGS, ...options });
  for (;;) {
    const { done, value } = await all.next();
    if (done) return { requests, end: value };
    requests.push(value);
  }
}

export function sourceIn(text: string | Uint8Array): DriveSource {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return attachPatchReader(readSession(toByteSource(bytes), 'session.jsonl'));
}

/** A file of a session; null for one that is none. */
export async function sourceOf(file: string): Promise<DriveSource | null> {
  return openSession(new Uint8Array(readFileSync(file))).catch(() => null);
}

/** Turns of one request each, or more, with tools: every text is as long as it says, in tokens. */
export interface Talked {
  readonly asked: number;
  /** What the provider has counted for each request of the turn, answer included; 0: it has counted nothing. */
  readonly billed: readonly number[];
}

const START = Date.UTC(2026, 0, 5, 9);

/** A session of such turns. All requests of a turn but the last one call a tool. */
export function talkOf(turns: readonly Talked[]): DriveSource {
  return sourceIn(lines(HEADER, ...entriesOf(turns)));
}

export function entriesOf(turns: readonly Talked[]): readonly Entry[] {
  const entries: Entry[] = [];
  const say = (id: string, message: Entry): void => {
    const timestamp = START + entries.length * 1000;
    const parentId = entries.at(-1)?.['id'] ?? null;
    const fields = { message: { ...message, timestamp }, timestamp: new Date(timestamp).toISOString() };
    entries.push(entry('message', id, parentId, fields));
  };
  for (const [turn, { asked, billed }] of turns.entries()) {
    say(`u${turn + 1}`, { role: 'user', content: [{ type: 'text', text: words(asked) }] });
    for (const [nth, tokens] of billed.entries()) {
      const isLast = nth === billed.length - 1;
      const id = `${turn + 1}${isLast ? '' : `.${nth + 1}`}`;
      const toolCall = { type: 'toolCall', id: `call${id}`, name: 'read', arguments: { path: `f${id}.ts` } };
      say(`a${id}`, {
        role: 'assistant',
        content: isLast ? [{ type: 'text', text: 'done' }] : [toolCall],
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        stopReason: isLast ? 'stop' : 'toolUse',
        ...(tokens === 0 ? {} : { usage: usage(tokens) }),
      });
      if (isLast) continue;
      const result = { role: 'toolResult', toolCallId: `call${id}`, toolName: 'read', isError: false };
      say(`r${id}`, { ...result, content: [{ type: 'text', text: words(50) }] });
    }
  }
  return entries;
}

function usage(tokens: number): Entry {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input: tokens - 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: tokens, cost };
}

function words(tokens: number): string {
  return 'abc '.repeat(tokens);
}

/** Tokens of messages, as the host estimates them. */
export function sizeOf(messages: readonly object[]): number {
  return messages.reduce((sum, message) => sum + countMessageTokens(message as LlmMessage), 0);
}

/** An engine that shows everything, and what a test wants to be otherwise. */
export function engine(own: Partial<ContextEngine> = {}): ContextEngine {
  return {
    info: { id: 'test', name: 'An engine of a test' },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: sizeOf(messages) }),
    compact: () => Promise.resolve({ ok: true, compacted: false }),
    ...own,
  };
}

/** The calls of a whole drive, in order. */
export async function callsOf(
  source: DriveSource,
  own: Partial<ContextEngine>,
  options: Partial<DriveOptions> = {},
): Promise<readonly string[]> {
  const calls: string[] = [];
  await driveAll(source, () => engine(own), { ...options, onCall: (call) => void calls.push(call) });
  return calls;
}

export function rolesIn(messages: readonly AgentMessage[]): string {
  return messages.map(({ role }) => role[0]).join('');
}
