import type { LlmMessage, SystemPart } from '../context/content.js';
import { withParts } from '../context/system.js';
import { EMPTY_ENVELOPE } from '../context/empty-envelope.js';
import { type Preparation, prepareCompaction } from '../compact/prepare.js';
import { candidatesIn } from '../ledger/candidates.js';
import { ledgerOf } from '../ledger/ledger.js';
import { idText, quotedId } from '../session/head.js';
import { extracted } from '../summarizers/extract.js';
import type { AssembleResult, Compacted, CompactResult, TranscriptRewriteResult } from './contract.js';
import type { Deed, EngineSetup, WholeAssembleResult } from './define.js';
import type { Assembled, AskedCompaction, Done, DriveOptions, DriveSource } from './driven.js';
import { EngineFailure } from './failure.js';
import { type RecordedCompaction, type Recording, tokensOfDeclared } from './recording.js';
import { SentMessages } from './sent.js';
import { Transcript } from './transcript.js';

/** A recorded session, and what an engine has made of it so far. */
export class DrivenSession {
  readonly transcript: Transcript;
  readonly sent = new SentMessages();
  /** Of the compactions since somebody asked, the newest. */
  private summary: string | undefined;
  private compactions: AskedCompaction[] = [];
  private rewrites: TranscriptRewriteResult[] = [];
  private deeds: Deed[] = [];

  constructor(
    private readonly source: DriveSource,
    readonly recording: Recording,
    private readonly options: DriveOptions,
  ) {
    this.transcript = new Transcript(source);
  }

  setup(): EngineSetup {
    const { source, recording, transcript, sent } = this;
    const { tokenBudget, settings, policy } = this.options;
    return {
      session: source,
      tokenBudget,
      settings,
      policy,
      recorded: () => recording.content(),
      declared: () => recording.declared(),
      now: () => recording.time,
      transcript: () => transcript.entries(),
      ledger: () => ledgerOf(candidatesIn(source, this.said())),
      labels: () => recording.labels(),
      prepare: () => this.prepare(),
      compacted: (result) => {
        const at = idText(transcript.last?.id);
        this.apply(result);
        this.compactions.push({ why: 'engine', result: { ok: true, compacted: true, result }, at });
      },
      count: (messages) => sent.tokens(messages),
      summarize: (task) => this.recordedNext()?.summary ?? extracted(task),
      note: (deed) => void this.deeds.push(deed),
    };
  }

  /** What was done since this was asked for. */
  takeDone(): Omit<Done, 'events'> {
    const { compactions, rewrites, deeds } = this;
    [this.compactions, this.rewrites, this.deeds] = [[], [], []];
    return { compactions, rewrites, deeds };
  }

  takeSummary(): string | undefined {
    const { summary } = this;
    this.summary = undefined;
    return summary;
  }

  noteRewrite(result: TranscriptRewriteResult): void {
    this.rewrites.push(result);
  }

  /** Takes in what a compaction has come to. Throws an EngineFailure for one that is not possible. */
  take(why: AskedCompaction['why'], result: CompactResult): void {
    const at = idText(this.transcript.last?.id);
    if (result.compacted && result.result) this.apply(result.result);
    this.compactions.push({ why, result, at });
  }

  /** What is sent, where an engine has assembled this. */
  assembled(result: AssembleResult): Assembled {
    const { system, tools }: WholeAssembleResult = result;
    const declared = this.recording.declared();
    const { estimatedTokens, promptAuthority = 'assembled', systemPromptAddition = '' } = result;
    const isOwn = system !== undefined || systemPromptAddition !== '';
    const parts = isOwn ? withAddition(systemPromptAddition, system ?? declared.system.parts) : [];
    const whole = {
      system: isOwn ? withParts(EMPTY_ENVELOPE, parts).system : declared.system,
      tools: tools ?? declared.tools,
      options: declared.options,
    };
    let tokens = isOwn || tools ? tokensOfDeclared(whole) : this.recording.declaredTokens();
    const messages: LlmMessage[] = [];
    const sources: (string | null)[] = [];
    // A context that never shrinks is gone through at every request.
    for (const message of this.sent.taken(result.messages, () => this.transcript.messages())) {
      const sent = this.sent.of(message);
      if (sent.message === null) continue;
      messages.push(sent.message);
      sources.push(this.transcript.sourceOf(message));
      tokens += sent.tokens;
    }
    return { ...whole, messages, sources, tokens, estimatedTokens, promptAuthority, systemPromptAddition };
  }

  /** Estimated tokens of a request that sends the transcript as it is. */
  unassembledTokens(): number {
    return this.recording.declaredTokens() + this.sent.tokens(this.transcript.messages());
  }

  private prepare(): Preparation | null {
    const { session, path } = this.transcript;
    const { keepRecentTokens } = this.options.settings;
    return prepareCompaction(session, { path, keepRecentTokens, readPatch: () => [] });
  }

  private apply(compacted: Compacted): void {
    const { summary, firstKeptEntryId } = compacted;
    if (summary === undefined || firstKeptEntryId === undefined) return;
    if (!this.transcript.has(firstKeptEntryId)) {
      const what = `firstKeptEntryId ${quotedId(firstKeptEntryId)} is not on the active branch`;
      throw new EngineFailure('result', 'compact', what);
    }
    const recorded = this.recordedNext()?.time ?? NaN;
    this.transcript.compact(compacted, Number.isNaN(recorded) ? this.recording.time : recorded);
    this.summary = summary;
  }

  private recordedNext(): RecordedCompaction | null {
    return this.options.summaries === 'recorded' ? this.recording.compactionNext() : null;
  }

  /** All that was said so far. Summaries that were recorded belong to another engine. */
  private said(): Recording['path'] {
    const { path, at } = this.recording;
    return path.slice(0, at + 1).filter(({ type }) => type !== 'compaction' && type !== 'context_transform');
  }
}

/** A blank line parts it from the prompt. */
function withAddition(text: string, parts: readonly SystemPart[]): readonly SystemPart[] {
  if (text === '') return parts;
  const [first, ...others] = parts;
  return [{ name: 'engine', text }, ...(first ? [{ ...first, separator: '\n\n' }, ...others] : [])];
}
