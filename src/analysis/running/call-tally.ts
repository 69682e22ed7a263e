import { incrementCount } from '#base/maps.js';
import { computeShortHash } from '#base/short-hash.js';
import type { RunningEvent } from '#session/agents/running-events.js';
import type { RunningFigures } from './running-figures.js';

/** The ids that are remembered, since agents repeat records. */
const MOST_RECENT = 256;
/** The different calls of one turn that are compared. */
const MOST_DIFFERENT = 4096;

type CallFigures = Pick<RunningFigures, 'calls' | 'repeats' | 'recentCalls'>;

/** Counts the calls of tools: all of them, and the equal ones since the last prompt of the user. */
export class CallTally {
  private readonly calls: Map<string, number>;
  private repeats: Map<string, number>;
  private readonly recentCalls: Map<string, string>;

  constructor(before: CallFigures | null) {
    this.calls = new Map(before?.calls);
    this.repeats = new Map(before?.repeats);
    this.recentCalls = new Map(before?.recentCalls);
  }

  startTurn(): void {
    this.repeats = new Map();
  }

  take({ id, name, input }: Extract<RunningEvent, { readonly kind: 'call' }>): void {
    const key = toRepeatKey(name, input);
    if (id !== null && !this.isNew(id, key)) return;
    incrementCount(this.calls, name);
    if (this.repeats.size < MOST_DIFFERENT || this.repeats.has(key)) incrementCount(this.repeats, key);
  }

  figures(): CallFigures {
    const { calls, repeats, recentCalls } = this;
    return { calls, repeats, recentCalls };
  }

  /** Whether a call was not taken yet, and remembers it: agents repeat records. */
  private isNew(id: string, key: string): boolean {
    if (this.recentCalls.has(id)) return false;
    this.recentCalls.set(id, key);
    const [oldest] = this.recentCalls.keys();
    if (this.recentCalls.size > MOST_RECENT && oldest !== undefined) this.recentCalls.delete(oldest);
    return true;
  }
}

/** Identifies equal calls. Others are taken for equal improbably, and without harm. */
function toRepeatKey(name: string, input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? null);
  return `${name} ${text.length} ${computeShortHash(text)}`;
}
