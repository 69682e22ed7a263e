/** The contract of context engines in sentences, by the ids under which findings name them. */
export const CLAUSES = {
  loads: 'The module exports an engine with an `info` and the methods `ingest`, `assemble` and `compact`.',
  'no-throw': 'A method does not throw, and does not end its process.',
  'in-time': 'A method answers within the time limit.',
  'answer-type': 'A method answers with the type of the contract, in JSON.',
  'empty-request': 'A request contains at least one message, once the transcript does.',
  sendable:
    'A request breaks no provider rule of `ctx check` that the transcript follows: each result follows its call.',
  order: 'A request keeps the order of the transcript, and contains each of its messages at most once.',
  'results-kept':
    'A request that shows a call shows its result too, once there is one: else the model reads that there is none.',
  'own-results': 'A result shows the content of its own call, whole or shortened, and not that of another one.',
  'estimated-tokens':
    '`estimatedTokens` is the size of the request at four characters per token: at most 3 times as much, and at least two thirds.',
  imported: '`importedMessages` is at most the number of messages in the session file at that time.',
  'ingested-count': '`ingestedCount` is a whole number, and at most the number of messages in the batch.',
  'ingest-once': 'For a message that was ingested before, `ingested` is false and `ingestedCount` does not count it.',
  maintenance: '`changed`, `rewrittenEntries` and `bytesFreed` match the calls of `rewriteTranscriptEntries`.',
  'kept-entry': '`firstKeptEntryId` is an entry of the active branch.',
  'kept-result': '`firstKeptEntryId` is not a tool result: its call would leave the transcript.',
  compacted: 'With `compacted: true`, the messages of the context are smaller than before.',
  repeatable: 'The same conversation gives the same requests, asked twice, and in another session of the same process.',
  future: 'A request contains nothing that comes later in the conversation.',
  'session-file': 'The session file belongs to the host: an engine reads it, and never writes it.',
  quick: 'A request waits at most half a second for its engine, on average.',
  'compact-tokens':
    '`tokensBefore` and `tokensAfter` are the sizes of the context before and after, within a factor of 3.',
} as const;

export type Clause = keyof typeof CLAUSES;

/** A sentence of the contract that an engine broke. */
export interface Breach {
  readonly clause: Clause;
  readonly method: string;
  /** The breach, in a sentence. */
  readonly message: string;
}

/** The clauses about a request that no provider accepts. */
const REJECTION_CLAUSES: ReadonlySet<Clause> = new Set(['empty-request', 'sendable']);

/** The reasons why a provider would reject a request, by the engine's fault. */
export function listRejections(breaches: readonly Breach[]): string[] {
  return breaches.filter(({ clause }) => REJECTION_CLAUSES.has(clause)).map(({ message }) => message);
}
