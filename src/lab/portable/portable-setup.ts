import { readStatedFacts } from '#analysis/facts/fact-reader.js';
import { collectFacts, type ConversationFacts } from '#analysis/facts/facts.js';
import { sumBy } from '#base/lists.js';
import { type Preparation, prepareCompaction } from '#change/compact/prepare.js';
import { type CompactionSettings, compactionSettings } from '#change/compact/settings.js';
import { buildStockProjection } from '#change/compact/stock-projection.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
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
import { labelsOf, type Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { AgentMessage, Compacted } from '../contract.js';
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
export class PortableSetup implements EngineSetup {
  readonly messages = new HostMessages();
  /** The newest one that a call stated; null: none did. */
  tokenBudget: number | null = null;
  readonly settings: CompactionSettings;
  readonly policy: Policy;
  private file: OpenSession | null = null;
  private sessionFile: string | null = null;

  constructor({ settings, policy = defaultPolicy() }: PortableOptions) {
    this.settings = { ...compactionSettings([], null), ...settings };
    this.policy = policy;
  }

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

  get session(): Session {
    return this.file ?? this.messages.buildSession('session');
  }

  recorded(): EnvelopeContent {
    const { file } = this;
    return file === null ? EMPTY_ENVELOPE : buildEnvelope(toLenient(file), file.tree.leaf, { ephemeral: true });
  }

  declared(): EnvelopeContent {
    return this.recorded();
  }

  now(): number {
    return findNewestTime(this.messages.messages);
  }

  count(messages: readonly AgentMessage[]): number {
    return sumBy(messages, countAgentTokens);
  }

  transcript(): readonly TranscriptEntry[] {
    return this.messages.transcript();
  }

  facts(): ConversationFacts {
    const { session } = this;
    const path = activePath(session.tree).filter(({ type }) => type !== 'compaction' && type !== 'context_transform');
    return collectFacts(readStatedFacts(session, path));
  }

  labels(): ReadonlyMap<unknown, string> {
    return this.file ? labelsOf(this.file) : new Map();
  }

  prepare(): Preparation | null {
    const session = this.messages.buildSession('session');
    const { keepRecentTokens } = this.settings;
    return prepareCompaction(ignorePatches(session), { path: activePath(session.tree), keepRecentTokens });
  }

  compacted(result: Compacted): void {
    this.messages.compact(result, this.now());
  }

  summarize(task: SummaryTask): string {
    return extractSummary(task);
  }

  /** The contract has no place for reports. */
  note(): void {}
}

function countAgentTokens(message: AgentMessage): number {
  const sent = toLlmMessage(toMessage(message));
  return sent === null ? 0 : countMessageTokens(sent);
}
