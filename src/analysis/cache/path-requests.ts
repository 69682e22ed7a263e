import { memoizeByObject } from '#base/memoize.js';
import type { OpenSession } from '#context/open.js';
import { isCompaction } from '#session/tree/compaction.js';
import { CacheWalk } from './cache-walk.js';
import type { CacheBreak } from './document.js';
import { DEFAULT_CACHE_OPTIONS } from './options.js';
import { type PromptUsage, readPromptUsage } from './recorded-answer.js';

/** The types of entries that may compact the context. */
const COMPACTING_TYPES: ReadonlySet<string | null> = new Set(['compaction', 'context_transform']);

/** A request of a path, as far as it was read. */
export interface PathRequest {
  /** The entry that answers it, and its position on the path. */
  readonly entry: number;
  readonly place: number;
  /** The recorded tokens of the prompt; 0 if they are not recorded, or not read yet. */
  readonly prompt: number;
  readonly cacheRead: number;
  readonly broken: CacheBreak | null;
  /** Whether the context was compacted before it. */
  readonly isCompacted: boolean;
}

/** The requests of the paths of a session, read in steps: their recorded usage, and their cache breaks. */
export class PathRequests {
  private readonly usages: Map<number, PromptUsage | null>;
  private readonly breaks: Map<number, CacheBreak | null>;
  private readonly compactions: Map<number, boolean>;
  /** The share of the path that is being compared, from 0 to 1. */
  private share = 0;

  /** `before`: those of the same file when it was shorter, whose results are kept. */
  constructor(
    private readonly session: OpenSession,
    before?: PathRequests,
  ) {
    this.usages = before?.usages ?? new Map();
    this.breaks = before?.breaks ?? new Map();
    this.compactions = before?.compactions ?? new Map();
  }

  /** The requests of a path, as far as they were read; the same list until more is read. */
  listOn(path: Uint32Array): readonly PathRequest[] {
    return this.listRead(path, this.usages.size + this.breaks.size + this.compactions.size);
  }

  /** `_read`: the number of facts that were read so far. The list is built again when it has grown. */
  private readonly listRead = memoizeByObject((path: Uint32Array, _read: number): readonly PathRequest[] => {
    const { heads } = this.session.tree;
    const all: PathRequest[] = [];
    let isCompacted = false;
    for (const [place, entry] of path.entries()) {
      // A transform that was not read yet is no compaction.
      if (this.compactions.get(entry) ?? heads.typeAt(entry) === 'compaction') isCompacted = true;
      if (!heads.isAnswerAt(entry)) continue;
      const { promptTokens = 0, cacheRead = 0 } = this.usages.get(entry) ?? {};
      const broken = this.breaks.get(entry) ?? null;
      all.push({ entry, place, prompt: promptTokens, cacheRead, broken, isCompacted });
      isCompacted = false;
    }
    return all;
  });

  /** Reads the missing usage and compactions of a path, one entry per step, newest first. */
  *read(path: Uint32Array): Generator<void> {
    const { heads } = this.session.tree;
    for (let at = path.length - 1; at >= 0; at -= 1) {
      const index = path[at] ?? 0;
      const isAnswer = heads.isAnswerAt(index) && !this.usages.has(index);
      const mayCompact = COMPACTING_TYPES.has(heads.typeAt(index)) && !this.compactions.has(index);
      if (isAnswer) this.usageAt(index);
      if (mayCompact) this.compactions.set(index, isCompaction(this.session, heads.at(index)));
      if (isAnswer || mayCompact) yield;
    }
  }

  /** Finds the cache breaks of a path as `ctx cache` does, one entry per step, oldest first. */
  *compare(path: Uint32Array): Generator<void> {
    const { session, breaks } = this;
    const { heads } = session.tree;
    if (this.isCompared(path)) return;
    const pathHeads = Array.from(path, (index) => heads.at(index)).filter((head) => head !== undefined);
    const walk = new CacheWalk({ session, path: pathHeads, baseline: {} }, DEFAULT_CACHE_OPTIONS);
    for (const step of walk.walked.steps) {
      const request = walk.take(step);
      if (request) breaks.set(step.head.index, request.break);
      this.share = step.index / path.length;
      yield;
    }
    this.share = 0;
  }

  /** The share of a path that is compared, from 0 to 1. */
  measureProgress(path: Uint32Array): number {
    return this.isCompared(path) ? 1 : this.share;
  }

  /** Whether the breaks of a path are known. All are found at once, so the last answer tells. */
  private isCompared(path: Uint32Array): boolean {
    const { heads } = this.session.tree;
    const last = path.findLast((index) => heads.isAnswerAt(index));
    return last === undefined || this.breaks.has(last);
  }

  /** The usage of an answer, which is read if necessary; null if it is not recorded. */
  usageAt(index: number): PromptUsage | null {
    const cached = this.usages.get(index);
    if (cached !== undefined) return cached;
    const head = this.session.tree.heads.at(index);
    const usage = head ? readPromptUsage(this.session.usage(head)) : null;
    this.usages.set(index, usage);
    return usage;
  }
}
