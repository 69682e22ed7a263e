import { recordIn, recordOf, REQUEST_TYPE, sentByEnvelope, sentByPi } from '#analysis/sent/record.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { Replay } from '#context/replay/replay.js';
import type { LiveBranch } from './branch.js';
import type { Pi } from './pi.js';

export class RequestRecords {
  constructor(
    private readonly pi: Pi,
    private readonly branch: LiveBranch,
    private readonly which: 'all' | 'differences',
  ) {}

  take(messages: readonly JsonObject[], reasoning: unknown): void {
    const replay = replayOf(this.branch);
    const content = { ...replay.declaredAsSent(), messages: replay.content().messages };
    const shown = sentByEnvelope(content);
    const record = recordOf(shown, sentByPi(messages, reasoning, shown), storedIn(this.branch));
    if (this.which === 'all' || record.differs) this.pi.appendEntry(REQUEST_TYPE, record);
  }
}

/** Without the operations of a broken transform, which are not sent either. */
function replayOf(branch: LiveBranch): Replay {
  try {
    return branch.replay();
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return branch.replay({ lenient: true });
  }
}

/** The hashes of the values in the records of a branch, and the number of entries that were read for them. */
const known = new WeakMap<LiveBranch, { readonly names: Set<string>; next: number }>();

function storedIn(branch: LiveBranch): ReadonlySet<string> {
  const { session, path } = branch;
  const stored = known.get(branch) ?? { names: new Set<string>(), next: 0 };
  known.set(branch, stored);
  for (const head of path.slice(stored.next)) {
    const record = head.type === 'custom' ? recordIn(session.entry(head)) : null;
    for (const name of Object.keys(record?.values ?? {})) stored.names.add(name);
  }
  stored.next = path.length;
  return stored.names;
}
