import type { Problem } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { Replay } from '#context/replay/replay.js';
import { settingsOf } from '#context/replay/settings.js';
import type { TokenMethod } from '#context/replay/tokens.js';
import { contextSize, estimateOf, type TokensNow, tokensNow, upFrom } from '#context/size/size.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { headAtLine } from '#session/tree/head-at-line.js';
import { isOfClaude, recordedPrompt, type Sample } from './calibration.js';
import {
  addContents,
  categoryOf,
  type Category,
  emptyBreakdown,
  type TokenBreakdown,
  type NamedTokens,
  tokensByPart,
  tokensByTool,
} from './token-breakdown.js';

/** A request of the active path whose prompt a provider counted. */
export interface RequestSample extends Sample {
  /** Of the assistant's entry, in the file. */
  readonly index: number;
  readonly isOfClaude: boolean;
}

/** What the model would be shown at the leaf, by category. */
export interface ContextLedger {
  readonly ledger: TokenBreakdown;
  readonly parts: readonly NamedTokens[];
  readonly tools: readonly NamedTokens[];
}

export interface PathSource {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
  readonly method: TokenMethod;
}

/** Walks the active path, and compares what is estimated for every request with what was recorded. */
export class PathTally {
  readonly samples: RequestSample[] = [];
  private readonly replay: Replay;
  private index = 0;

  constructor(
    private readonly source: PathSource,
    private readonly path: readonly Head[],
  ) {
    const { session, readPatch, baseline, method } = source;
    this.replay = new Replay(session, path, { readPatch, baseline, lenient: true, method });
  }

  step(head: Head, entry: JsonObject): void {
    const message = head.role === 'assistant' && isObject(entry['message']) ? entry['message'] : null;
    const recorded = message && recordedPrompt(message);
    if (message && recorded !== null)
      this.samples.push({
        index: head.index,
        recorded,
        estimated: this.replay.tokens(),
        isOfClaude: isOfClaude(message),
      });
    this.replay.step(head, this.index, entry);
    this.index += 1;
  }

  /** What was noted on the way and is more than a note. */
  get diagnostics(): readonly Problem[] {
    return this.replay.diagnostics.filter(({ severity }) => severity !== 'note');
  }

  /** Whether prompt and tools are recorded or supplied. */
  isPreambleKnown(): boolean {
    const { system, tools } = this.replay.sources();
    return system !== 'unknown' && tools !== 'unknown';
  }

  context(): ContextLedger {
    const { method } = this.source;
    const { messages } = this.replay.content();
    const { system, tools } = this.replay.declaredAsSent();
    const provenance = this.replay.provenance();
    const ledger = emptyBreakdown();
    addContents(ledger, { message: null, textIs: 'system', parts: system.parts, tools }, method);
    for (const [at, message] of messages.cached.entries()) {
      const from = provenance[at];
      const textIs: Category =
        from?.origin === 'compaction'
          ? 'summaries'
          : from && from.origin !== 'transform'
            ? categoryOf(this.roleAt(from.line))
            : categoryOf(message.role);
      addContents(ledger, { message, textIs, parts: [], tools: [] }, method);
    }
    return { ledger, parts: tokensByPart(system.parts, method), tools: tokensByTool(tools, method) };
  }

  /** The size of the context at the end. */
  size(): TokensNow {
    const { session, readPatch, baseline, method } = this.source;
    const { path } = this;
    const whole = { session, path, options: { baseline, lenient: true, method } };
    return tokensNow(session, { upward: upFrom(path), method }, () =>
      contextSize(whole, readPatch, estimateOf(this.replay, settingsOf(session, path).model)),
    );
  }

  /** The role of the message that the entry in a line brings in. */
  private roleAt(line: number): string | null {
    const head = headAtLine(this.source.session, line);
    switch (head?.type) {
      case 'branch_summary':
        return 'branchSummary';
      case 'custom_message':
        return 'custom';
      case 'message':
        return head.role;
      default:
        return null;
    }
  }
}
