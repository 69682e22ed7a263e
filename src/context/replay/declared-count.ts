import type { EnvelopeContent } from './content.js';
import { type TokenMethod, tokensOfParts, tokensOfValue } from './tokens.js';

/** The estimated tokens of a system prompt and tools: they change rarely, and are counted when they do. */
export class DeclaredCount {
  private declared: EnvelopeContent | null = null;
  private tokens = 0;

  constructor(private readonly method?: TokenMethod) {}

  of(declared: EnvelopeContent): number {
    if (declared === this.declared) return this.tokens;
    const { system, tools } = declared;
    this.declared = declared;
    const ofTools = tools.length === 0 ? 0 : tokensOfValue(tools, this.method);
    this.tokens = tokensOfParts(system.parts, this.method) + ofTools;
    return this.tokens;
  }
}
