import type { Session } from '#session/session.js';
import { countMissedTokens, type EarlierPrompt, toEarlierPrompt } from './earlier-prompt.js';
import { readPromptUsage } from './recorded-answer.js';

/**
 * The misses of a session as Pi counts them: entries of all branches in file order, starting over after a compaction or
 * a branch summary. If Pi would encounter a message without usage, and fail or count NaN, nothing is counted.
 */
export class PiMisses {
  /** The missed tokens by the index of the answer. */
  private readonly missedTokens = new Map<number, number>();
  /** The index of the answer that each answer is compared with. */
  private readonly earlier = new Map<number, number>();
  private before: EarlierPrompt | null = null;
  /** The index of the newest answer with tokens; null after a compaction. */
  private answer: number | null = null;
  /** The index of the first entry that was not read yet. */
  private nextIndex = 0;

  constructor(private readonly session: Session) {}

  /** The missed tokens at the answer with an index; null for none. Reads the usage of the entries up to it. */
  at(index: number): number | null {
    this.readUpTo(index);
    return this.missedTokens.get(index) ?? null;
  }

  /**
   * Finds the index of the answer with which Pi compares an answer; null for none. Answers without tokens are skipped.
   */
  findEarlier(index: number): number | null {
    this.readUpTo(index);
    return this.earlier.get(index) ?? null;
  }

  private readUpTo(index: number): void {
    for (; this.nextIndex <= index; this.nextIndex += 1) this.read(this.nextIndex);
  }

  private read(index: number): void {
    const { session, before } = this;
    const { heads } = session.tree;
    const type = heads.typeAt(index);
    if (type === 'compaction' || type === 'branch_summary') {
      this.before = null;
      this.answer = null;
    }
    const isAnswer = type === 'message' && heads.isAnswerAt(index);
    if (!isAnswer && type !== 'usage') return;
    const head = heads.at(index);
    const usage = head ? readPromptUsage(session.usage(head)) : null;
    if (!head || usage === null) return;
    if (!isAnswer) {
      const { kind } = session.entry(head);
      if (kind === 'cache_warm') this.before = { ...toEarlierPrompt(usage, before), reportedCache: true };
      return;
    }
    const missed = countMissedTokens(before, usage);
    if (missed !== null) this.missedTokens.set(index, missed);
    if (this.answer !== null) this.earlier.set(index, this.answer);
    this.answer = index;
    this.before = toEarlierPrompt(usage, before);
  }
}
