import { toLenient } from '#context/lenient.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { SentMessage } from '#context/replay/message-list.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import { type Check, selectRules } from './active-rules.js';
import { type Hit, isEmptyList, type PathEntry } from './define.js';
import { reportHits } from './report-hits.js';

/** The types of entries that change messages that were already sent, or content before them. */
const REWRITES: ReadonlySet<string | null> = new Set(['context_edit', 'context_transform', 'compaction']);

/** Passes the active path to the rules that follow it, and its requests to the rules that check each of them. */
export class PathWalk {
  /** Whether a rule follows the active path. */
  readonly isFollowed: boolean;
  /** The active path; empty if no rule follows it. */
  readonly walked: ContextWalk;
  private readonly watches: readonly ((step: PathEntry | null) => void)[];
  private readonly requests: RequestWatches | null;
  /** The number of messages that the request rules have seen. */
  private taken = 0;
  /** The entries since the last request, which the request rules have not seen. */
  private readonly unsent = new Set<number>();

  constructor(private readonly check: Check) {
    const { session } = check;
    this.watches = startPathWatches(check);
    this.requests =
      check.requests === 'all' && selectRules(check, 'request').length > 0 ? new RequestWatches(check) : null;
    this.isFollowed = this.watches.length > 0 || this.requests !== null;
    const path = this.isFollowed ? activePath(session.tree) : [];
    this.walked = walk(toLenient(session), path, { baseline: check.envelope.baseline });
  }

  private readonly context = (): EnvelopeContent => {
    const { replay } = this.walked;
    return { ...replay.declaredAsSent(), messages: replay.content().messages };
  };

  take(step: WalkStep): void {
    const { head, entry, replay } = step;
    if (answersRequest(head)) this.request();
    const isRewrite = REWRITES.has(head.type) || head.role === 'system';
    const before = isRewrite && this.watches.length > 0 ? replay.content() : null;
    const diagnosticsBefore = replay.diagnostics.length;
    step.take();
    if (this.requests) this.unsent.add(head.index);
    if (isRewrite && this.changesSent(head)) this.restart();
    const change = before && { before, after: replay.content(), origins: () => replay.messages.listProvenance() };
    const diagnostics = replay.diagnostics.slice(diagnosticsBefore);
    const pathEntry: PathEntry = { head, entry, change, context: this.context, diagnostics };
    for (const watch of this.watches) watch(pathEntry);
  }

  end(): void {
    this.request();
    for (const watch of this.watches) watch(null);
  }

  /** Marks the messages so far as sent. */
  private request(): void {
    if (!this.requests) return;
    this.unsent.clear();
    const { sent, next } = this.walked.replay.messages.listSentFrom(this.taken);
    this.taken = next;
    this.requests.request(sent);
  }

  /** Whether messages that were seen may have changed. Pi omits a failed answer immediately, before it is ever sent. */
  private changesSent(head: Head): boolean {
    if (head.role === 'system') return false;
    return head.type !== 'context_edit' || !this.unsent.has(this.check.session.tree.heads.targetAt(head.index));
  }

  private restart(): void {
    this.requests?.restart();
    this.taken = 0;
  }
}

/** Starts the watcher of each rule; a step of null marks the end. */
function startPathWatches(check: Check): readonly ((step: PathEntry | null) => void)[] {
  return selectRules(check, 'path').map((active) => {
    const watch = active.rule.watch(active.options, check.session, check.envelope);
    return (step) => {
      const hits = step === null ? watch.end?.() : watch.step(step);
      if (hits) reportHits(check, active, hits);
    };
  });
}

/** The watchers of consecutive requests. Equal findings are reported once. */
export class RequestWatches {
  private watches: readonly ((messages: readonly SentMessage[]) => void)[];

  constructor(private readonly check: Check) {
    this.watches = this.start();
  }

  /** Passes on the messages of the next request that were not in the previous one. */
  request(added: readonly SentMessage[]): void {
    for (const watch of this.watches) watch(added);
  }

  /** Starts over with the next request, because messages that were already sent have changed. */
  restart(): void {
    this.watches = this.start();
  }

  private readonly reportedKeys = new Map<string, Set<string>>();

  private start(): typeof this.watches {
    return selectRules(this.check, 'request').map((active) => {
      const { see, end } = active.rule.watch(active.options, this.check.session);
      return (messages) => {
        for (const message of messages) {
          const hits = see(message);
          if (!isEmptyList(hits)) reportHits(this.check, active, this.selectNew(active.rule.name, hits));
        }
        if (end) reportHits(this.check, active, this.selectNew(active.rule.name, end()));
      };
    });
  }

  private *selectNew(rule: string, hits: Iterable<Hit>): Generator<Hit> {
    const reported = this.reportedKeys.get(rule) ?? new Set();
    this.reportedKeys.set(rule, reported);
    for (const hit of hits) {
      const key = JSON.stringify([hit.at?.line, hit.place, hit.message]);
      if (!reported.has(key)) yield hit;
      reported.add(key);
    }
  }
}
