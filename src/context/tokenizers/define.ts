import type { TokenMethod } from '../size/tokens.js';

export interface Tokenizer {
  readonly name: string;
  readonly summary: string;
  /** Whether its counts are multiplied by a factor from a session's own usage. */
  readonly isCalibrated: boolean;
  /** Loads its data, which may take a moment. */
  load(): Promise<TokenMethod>;
}
