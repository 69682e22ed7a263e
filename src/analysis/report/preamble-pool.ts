import { formatIndentedJson } from '#base/json-text.js';
import { asText } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { addContents, buildEmptyBreakdown, countTokensByPart, countTokensByTool } from '../stats/token-breakdown.js';
import type { ReportPiece, ReportPreamble } from './document.js';
import { Numbering } from './numbering.js';
import { limitText } from './stored-text.js';

/** The preambles of all requests. Stores each system part, tool and combination once. */
export class PreamblePool {
  readonly parts = new Numbering<ReportPiece>();
  readonly tools = new Numbering<ReportPiece>();
  readonly preambles = new Numbering<ReportPreamble>();

  /** `most`: the maximum bytes of a text. */
  constructor(private readonly most: number) {}

  /** `sent`: the tools in the request. Only these are counted. */
  numberOf(
    { system, tools, options }: Pick<EnvelopeContent, 'system' | 'tools' | 'options'>,
    sent: EnvelopeContent['tools'],
  ): number {
    const partTokens = countTokensByPart(system.parts, BY_CHARACTERS);
    const toolTokens = countTokensByTool(tools, BY_CHARACTERS);
    const parts = system.parts.map(({ name, text }, at) =>
      this.parts.numberOf(JSON.stringify([name, text]), () =>
        this.piece(name, text, partTokens[at]?.tokensEstimated ?? 0),
      ),
    );
    const definitions = tools.map((tool, at) =>
      this.tools.numberOf(JSON.stringify(tool), () =>
        this.piece(asText(tool.name), formatIndentedJson(tool), toolTokens[at]?.tokensEstimated ?? 0),
      ),
    );
    const preamble = { parts, tools: definitions, options: JSON.stringify(options) };
    return this.preambles.numberOf(JSON.stringify([preamble, sent.map(({ name }) => name)]), () => {
      const breakdown = buildEmptyBreakdown();
      const declared = {
        message: null,
        textCategory: 'system',
        customType: null,
        parts: system.parts,
        tools: sent,
      } as const;
      addContents(breakdown, declared, BY_CHARACTERS);
      return { ...preamble, kinds: breakdown.declared };
    });
  }

  private piece(name: string, text: string, tokens: number): ReportPiece {
    return { name, text: limitText(text, this.most), tokens };
  }
}
