import { readPiRequest, toRequestContent } from '#analysis/sent-requests/request-content.js';
import { buildRequestRecord, readRequestRecord, REQUEST_TYPE } from '#analysis/sent-requests/request-record.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Replay } from '#context/replay/replay.js';
import type { LiveBranch } from './branch.js';
import type { Pi } from './pi.js';

export class RequestRecords {
  constructor(
    private readonly pi: Pi,
    private readonly branch: LiveBranch,
    private readonly which: 'all' | 'differences',
    /** The transcript as Pi has it. */
    private readonly projected: () => readonly JsonObject[],
  ) {}

  take(messages: readonly JsonObject[], reasoning: unknown): void {
    const replay = findReplay(this.branch);
    const cached = replay.content().messages.cached.map(copyMessage);
    const shown = toRequestContent({ ...replay.declaredAsSent(), messages: { cached, uncached: [] } });
    const sent = readPiRequest(messages, reasoning, { ...shown, projected: this.projected() });
    const record = buildRequestRecord(shown, sent, listStored(this.branch));
    // Pi keeps the entry, and others may go on to change what was sent.
    if (this.which === 'all' || record.differs) this.pi.appendEntry(REQUEST_TYPE, structuredClone(record));
  }
}

const copyRecords = new WeakMap<LlmMessage, { readonly text: string; readonly copy: LlmMessage }>();

/**
 * A private copy, whose hash stays true: an extension can change the entries that Pi has in memory.
 * It is the same object as long as the message is the same.
 */
function copyMessage(message: LlmMessage): LlmMessage {
  const text = JSON.stringify(message);
  const known = copyRecords.get(message);
  if (known?.text === text) return known.copy;
  const copy = JSON.parse(text) as LlmMessage;
  copyRecords.set(message, { text, copy });
  return copy;
}

/** Without the operations of a broken transform, which are not sent either. */
function findReplay(branch: LiveBranch): Replay {
  try {
    return branch.replay();
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return branch.replayLeniently();
  }
}

/** The hashes of the values in the records of a branch, and the number of entries that were read for them. */
const known = new WeakMap<LiveBranch, { readonly names: Set<string>; next: number }>();

function listStored(branch: LiveBranch): ReadonlySet<string> {
  const { session, path } = branch;
  const stored = known.get(branch) ?? { names: new Set<string>(), next: 0 };
  known.set(branch, stored);
  for (const head of path.slice(stored.next)) {
    const record = head.type === 'custom' ? readRequestRecord(session.entry(head)) : null;
    for (const name of Object.keys(record?.values ?? {})) stored.names.add(name);
  }
  stored.next = path.length;
  return stored.names;
}
