import { readFileSync } from 'node:fs';
import type { Clause } from '../../src/engines/clauses.js';
import type { AgentMessage, ContextEngine } from '../../src/engines/contract.js';
import { engine, sizeOf } from './engines.js';

/** An engine that lies, and the sentence of the contract that it breaks. */
export interface Liar {
  readonly name: string;
  readonly clause: Clause;
  readonly make: () => ContextEngine;
  /** The lie needs a compaction, for which the context has to be too long. */
  readonly needsCompaction?: true;
}

/** Shows what a function leaves of the transcript. */
function showing(show: (messages: readonly AgentMessage[]) => readonly AgentMessage[]): () => ContextEngine {
  return () =>
    engine({
      assemble: ({ messages }) => {
        const shown = show(messages);
        return Promise.resolve({ messages: shown, estimatedTokens: sizeOf(shown) });
      },
    });
}

const estimating = (estimatedTokens: number) => (): ContextEngine =>
  engine({ assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens }) });

const maintaining = (maintain: NonNullable<ContextEngine['maintain']>) => (): ContextEngine => engine({ maintain });

const compacting = (compact: ContextEngine['compact']) => (): ContextEngine => engine({ compact });

function isResult({ role }: AgentMessage): boolean {
  return role === 'toolResult';
}

/** A compaction that keeps the newest entry that is such, and says whatever it wants of its size. */
function keeping(
  isSuch: (message: AgentMessage) => boolean,
  sizes: (tokens: number) => { readonly tokensBefore: number; readonly tokensAfter?: number },
): ContextEngine['compact'] {
  return ({ currentTokenCount = 0, runtimeContext }) => {
    const kept = runtimeContext?.transcript?.findLast(({ message }) => message !== null && isSuch(message));
    if (!kept) return Promise.resolve({ ok: true, compacted: false });
    const result = { summary: 'Before.', firstKeptEntryId: kept.entryId, ...sizes(currentTokenCount) };
    return Promise.resolve({ ok: true, compacted: true, result });
  };
}

const honest = (tokensBefore: number): { readonly tokensBefore: number } => ({ tokensBefore });

/** An engine of each kind of lie. */
export const LIARS: readonly Liar[] = [
  { name: 'sends nothing', clause: 'empty-request', make: showing(() => []) },
  { name: 'sends results without calls', clause: 'sendable', make: showing((all) => all.filter(isResult)) },
  { name: 'leaves out results', clause: 'order', make: showing((all) => [...all.slice(1), ...all.slice(0, 1)]) },
  { name: 'sends messages backwards', clause: 'order', make: showing((all) => all.toReversed()) },
  { name: 'sends messages twice', clause: 'order', make: showing((all) => [...all, ...all.slice(0, 1)]) },
  { name: 'estimates nothing', clause: 'estimated-tokens', make: estimating(0) },
  { name: 'estimates far too much', clause: 'estimated-tokens', make: estimating(9_999_999) },
  {
    name: 'imports more than there is',
    clause: 'imported',
    make: () => engine({ bootstrap: () => Promise.resolve({ bootstrapped: true, importedMessages: 999 }) }),
  },
  {
    name: 'ingests more than it is given',
    clause: 'ingested-count',
    make: () => engine({ ingestBatch: () => Promise.resolve({ ingestedCount: 99_999 }) }),
  },
  {
    name: 'ingests the same message twice',
    clause: 'ingest-once',
    make: () => engine({ ingest: () => Promise.resolve({ ingested: true }) }),
  },
  {
    name: 'ingests the same batch twice',
    clause: 'ingest-once',
    make: () => engine({ ingestBatch: ({ messages }) => Promise.resolve({ ingestedCount: messages.length }) }),
  },
  {
    name: 'rewrites nothing and says that it did',
    clause: 'maintenance',
    make: maintaining(() => Promise.resolve({ changed: true, bytesFreed: 123_456, rewrittenEntries: 3 })),
  },
  {
    name: 'frees less than it says',
    clause: 'maintenance',
    make: maintaining(async ({ runtimeContext }) => ({ ...(await shorten(runtimeContext)), bytesFreed: 123_456 })),
  },
  {
    name: 'rewrites and says that it did not',
    clause: 'maintenance',
    make: maintaining(async ({ runtimeContext }) => {
      await shorten(runtimeContext);
      return { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
    }),
  },
  {
    name: 'keeps from a tool result',
    clause: 'kept-result',
    make: compacting(keeping(isResult, honest)),
    needsCompaction: true,
  },
  {
    name: 'keeps what is not there',
    clause: 'kept-entry',
    make: compacting(({ currentTokenCount = 0 }) => {
      const result = { summary: 'Before.', firstKeptEntryId: 'nowhere', tokensBefore: currentTokenCount };
      return Promise.resolve({ ok: true, compacted: true, result });
    }),
    needsCompaction: true,
  },
  {
    name: 'compacts nothing and says that it did',
    clause: 'compacted',
    make: compacting(() => Promise.resolve({ ok: true, compacted: true })),
    needsCompaction: true,
  },
  {
    name: 'keeps everything and adds a summary',
    clause: 'compacted',
    make: compacting(({ currentTokenCount = 0, runtimeContext }) => {
      const [first] = runtimeContext?.transcript ?? [];
      const result = { summary: 'Before.', firstKeptEntryId: first?.entryId ?? '', tokensBefore: currentTokenCount };
      return Promise.resolve({ ok: true, compacted: true, result });
    }),
    needsCompaction: true,
  },
  {
    name: 'says that more was there before',
    clause: 'compact-tokens',
    make: compacting(
      keeping(
        ({ role }) => role === 'user',
        () => ({ tokensBefore: 9_999_999 }),
      ),
    ),
    needsCompaction: true,
  },
  {
    name: 'says that more is there afterwards',
    clause: 'compact-tokens',
    make: compacting(
      keeping(
        ({ role }) => role === 'user',
        (tokensBefore) => ({ tokensBefore, tokensAfter: 9_999_999 }),
      ),
    ),
    needsCompaction: true,
  },
];

type Runtime = Parameters<NonNullable<ContextEngine['maintain']>>[0]['runtimeContext'];

/** Shortens the first result, where there is one. */
async function shorten(runtimeContext: Runtime): ReturnType<NonNullable<ContextEngine['maintain']>> {
  const found = runtimeContext?.transcript?.find(({ message }) => message !== null && isResult(message));
  const rewrite = runtimeContext?.rewriteTranscriptEntries;
  if (!found?.message || !rewrite) return { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
  const message = { ...found.message, content: [{ type: 'text', text: '…' }] };
  return rewrite({ replacements: [{ entryId: found.entryId, message }] });
}

/** Shows what the session file holds beyond the transcript: what the session has yet to say, if the file knew it. */
export function futureReader(seen: (lines: readonly string[], known: number) => void): ContextEngine {
  let known = 0;
  const look = (file: string): void => seen(readFileSync(file, 'utf8').trimEnd().split('\n'), known);
  return engine({
    bootstrap: ({ sessionFile }) => {
      look(sessionFile);
      return Promise.resolve({ bootstrapped: true, importedMessages: 0 });
    },
    assemble: ({ messages }) => {
      known = messages.length;
      return Promise.resolve({ messages, estimatedTokens: sizeOf(messages) });
    },
    afterTurn: ({ sessionFile }) => Promise.resolve(look(sessionFile)),
  });
}
