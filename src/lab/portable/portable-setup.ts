import { readStatedFacts } from '#analysis/facts/fact-reader.js';
import { collectFacts } from '#analysis/facts/facts.js';
import { sumBy } from '#base/lists.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { type CompactionSettings, compactionSettings } from '#change/compact/settings.js';
import { buildStockProjection } from '#change/compact/stock-projection.js';
import { extractSummary } from '#change/compact/summarizers/extract.js';
import { defaultPolicy, type Policy } from '#change/prune/policy.js';
import { toLenient } from '#context/lenient.js';
import { ignorePatches, type OpenSession, openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { toMessage } from '#session/entry.js';
import { formatId } from '#session/heads/head.js';
import { labelsOf } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { AgentMessage } from '../contract.js';
import type { EngineSetup } from '../define.js';
import type { TranscriptEntry } from '../runtime-context.js';
import { findNewestTime, HostMessages } from './host-messages.js';

/** The options of a built-in engine under any host. */
export interface PortableOptions {
  /** The tokens of the context window to keep free, and of recent messages to keep (default: those of Pi). */
  readonly settings?: Partial<CompactionSettings>;
  /** The policy of `turn-prune` (default: the built-in one). */
  readonly policy?: Policy;
}

/** The setup of a built-in engine from what any host passes: the parameters of the contract, and the session file. */
export class PortableSetup {
  readonly messages = new HostMessages();
  /** The newest one that a call stated; null: none did. */
  tokenBudget: number | null = null;
  private file: OpenSession | null = null;
  private sessionFile: string | null = null;

  constructor(private readonly options: PortableOptions) {}

  /** Reads the session file of a call, or the one of the last call again. A host may keep none. */
  async read(sessionFile = this.sessionFile): Promise<void> {
    if (sessionFile === null) return;
    this.sessionFile = sessionFile;
    const opened = await openSession(sessionFile).catch(() => null);
    if (opened === null) return;
    this.file?.close();
    this.file = opened;
  }

  /** The number of messages in the session file. */
  countMessages(): number {
    return this.file === null ? 0 : activePath(this.file.tree).filter(({ type }) => type === 'message').length;
  }

  /** The messages of the session file with their ids, for a host that passes no transcript. */
  takeEntriesOfFile(): void {
    const { file } = this;
    if (file === null) return;
    const entries = buildStockProjection(file, activePath(file.tree)).entries.map(
      ({ head, messages }): TranscriptEntry => {
        const message = messages.findLast(({ role }) => role !== 'system') as AgentMessage | undefined;
        return { entryId: formatId(head.id) ?? '', message: message ?? null };
      },
    );
    this.messages.takeEntries(entries);
  }

  close(): void {
    this.file?.close();
    this.file = null;
  }

  asSetup(): EngineSetup {
    const { messages } = this;
    const told = (): PortableSetup => this;
    return {
      get session() {
        const { file } = told();
        return file ?? messages.buildSession('session');
      },
      get tokenBudget() {
        return told().tokenBudget;
      },
      settings: { ...compactionSettings([], null), ...this.options.settings },
      policy: this.options.policy ?? defaultPolicy(),
      recorded: () => this.recorded(),
      declared: () => this.recorded(),
      now: () => findNewestTime(messages.messages),
      count: (some) => sumBy(some, countAgentTokens),
      transcript: () => messages.transcript(),
      facts: () => this.facts(),
      labels: () => (this.file ? labelsOf(this.file) : new Map()),
      prepare: () => this.prepare(),
      compacted: (result) => messages.compact(result, findNewestTime(messages.messages)),
      summarize: extractSummary,
      note: () => {},
    };
  }

  private recorded(): EnvelopeContent {
    const { file } = this;
    return file === null ? EMPTY_ENVELOPE : buildEnvelope(toLenient(file), file.tree.leaf, { ephemeral: true });
  }

  private facts(): ReturnType<EngineSetup['facts']> {
    const session = this.file ?? this.messages.buildSession('session');
    const path = activePath(session.tree).filter(({ type }) => type !== 'compaction' && type !== 'context_transform');
    return collectFacts(readStatedFacts(session, path));
  }

  private prepare(): ReturnType<EngineSetup['prepare']> {
    const session = this.messages.buildSession('session');
    const { keepRecentTokens } = { ...compactionSettings([], null), ...this.options.settings };
    return prepareCompaction(ignorePatches(session), { path: activePath(session.tree), keepRecentTokens });
  }
}

function countAgentTokens(message: AgentMessage): number {
  const sent = toLlmMessage(toMessage(message));
  return sent === null ? 0 : countMessageTokens(sent);
}
