import type { TokenMethod } from '../replay/tokens.js';

/** One way to count tokens. */
export interface Tokenizer {
  readonly name: string;
  readonly summary: string;
  /** Its counts are multiplied by a factor that only a session's own usage tells. */
  readonly isCalibrated: boolean;
  /** Loads what it needs, which may take a moment. */
  load(): Promise<TokenMethod>;
}
