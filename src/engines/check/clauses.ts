/** The contract of context engines in sentences, by the ids under which findings name them. */
export const CLAUSES = {
  loads: 'The module exports an engine with an `info` and the methods `ingest`, `assemble` and `compact`.',
  'no-throw': 'A method does not throw, and does not end its process.',
  'in-time': 'A method answers within the time limit.',
  'answer-type': 'A method answers with the type of the contract, in JSON.',
  'empty-request': 'A request holds at least one message, once the transcript does.',
  sendable: 'A request breaks no provider rule of `ctx check` that the transcript keeps: each result follows its call.',
  order: 'Messages of the transcript keep their order in a request, and each is in it once at most.',
  'estimated-tokens':
    '`estimatedTokens` is the size of what is assembled, at four characters a token, within a factor of 3.',
  imported: '`importedMessages` is at most the number of messages that the session file holds at that time.',
  'ingested-count': '`ingestedCount` is a whole number, and at most the number of messages in the batch.',
  'ingest-once':
    'A message that was ingested before is answered with `ingested: false`, and adds nothing to `ingestedCount`.',
  maintenance:
    '`changed`, `rewrittenEntries` and `bytesFreed` state what `rewriteTranscriptEntries` did during the call.',
  'kept-entry': '`firstKeptEntryId` is an entry of the active branch.',
  'kept-result': '`firstKeptEntryId` is not a tool result: its call would leave the transcript.',
  compacted: '`compacted: true` means that the messages of the context have become smaller.',
  'compact-tokens':
    '`tokensBefore` and `tokensAfter` are the sizes of the context before and after, within a factor of 3.',
} as const;

export type Clause = keyof typeof CLAUSES;

/** A sentence of the contract that an engine broke. */
export interface Breach {
  readonly clause: Clause;
  readonly method: string;
  /** What happened instead, in a sentence. */
  readonly message: string;
}
