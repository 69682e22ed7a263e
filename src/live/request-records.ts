import { readPiRequest, toRequestContent } from '#analysis/sent-requests/request-content.js';
import { buildRequestRecord, readRequestRecord, REQUEST_TYPE } from '#analysis/sent-requests/request-record.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Replay } from '#context/replay/replay.js';
import type { LiveBranch } from './branch.js';
import type { Pi } from './pi.js';

/** A request as its provider got it. */
interface SentRequest {
  readonly messages: readonly JsonObject[];
  readonly reasoning: unknown;
  /** The transcript as Pi has it. */
  readonly projected: readonly JsonObject[];
}

/** The copies of messages, with the text that each was made of. */
const copies = new WeakMap<LlmMessage, { readonly text: string; readonly copy: LlmMessage }>();

/** The hashes of the values in the records of a branch, and the number of its entries that were searched for them. */
const storedValues = new WeakMap<LiveBranch, { readonly hashes: Set<string>; entriesRead: number }>();

/** Appends the record of a request to the session. `differences`: only if it is not the one that the session shows. */
export function recordRequest(
  pi: Pi,
  branch: LiveBranch,
  which: 'all' | 'differences',
  { messages, reasoning, projected }: SentRequest,
): void {
  const replay = findReplay(branch);
  const cached = replay.content().messages.cached.map(copyMessage);
  const shown = toRequestContent({ ...replay.declaredAsSent(), messages: { cached, uncached: [] } });
  const sent = readPiRequest(messages, reasoning, { ...shown, projected });
  const record = buildRequestRecord(shown, sent, readStoredHashes(branch));
  // Pi keeps the entry, and others may go on to change what was sent.
  if (which === 'all' || record.differs) pi.appendEntry(REQUEST_TYPE, structuredClone(record));
}

/**
 * A private copy, whose hash stays true: an extension can change the entries that Pi has in memory.
 * It is the same object as long as the message is the same.
 */
function copyMessage(message: LlmMessage): LlmMessage {
  const text = JSON.stringify(message);
  const earlier = copies.get(message);
  if (earlier?.text === text) return earlier.copy;
  const copy = JSON.parse(text) as LlmMessage;
  copies.set(message, { text, copy });
  return copy;
}

/** The replay of a branch without the operations of broken transforms, which are not sent either. */
function findReplay(branch: LiveBranch): Replay {
  try {
    return branch.replay();
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return branch.replayLeniently();
  }
}

/** Reads the records that were added to a branch since the last call. Returns the hashes of the values in all. */
function readStoredHashes(branch: LiveBranch): ReadonlySet<string> {
  const { session, path } = branch;
  const stored = storedValues.get(branch) ?? { hashes: new Set<string>(), entriesRead: 0 };
  storedValues.set(branch, stored);
  for (const head of path.slice(stored.entriesRead)) {
    const record = head.type === 'custom' ? readRequestRecord(session.entry(head)) : null;
    for (const hash of Object.keys(record?.values ?? {})) stored.hashes.add(hash);
  }
  stored.entriesRead = path.length;
  return stored.hashes;
}
