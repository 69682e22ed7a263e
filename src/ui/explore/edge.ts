import type { Clock } from './slices.js';

/** What the explorer may touch outside itself. */
export interface Edge extends Clock {
  /** Calls back after some milliseconds; gives what takes it back. */
  later(milliseconds: number, call: () => void): () => void;
  /** What ctx prints for a command line, in colours, for a screen of so many columns. */
  run(argv: readonly string[], columns: number, signal: AbortSignal): Promise<string>;
  /** false: this terminal takes no copies. */
  copy(text: string): boolean;
}

/** Why the screen is left: for good, or for a while. */
export type Leave =
  | { readonly kind: 'quit'; readonly say: string | null }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'pager'; readonly argv: readonly string[] };
