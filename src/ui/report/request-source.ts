import { addContents, emptyBreakdown, tokensByPart, tokensByTool } from '#analysis/stats/token-breakdown.js';
import { asText, indentedJson } from '#base/json.js';
import type { Baseline, EnvelopeContent } from '#context/replay/content.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { BY_CHARACTERS } from '#context/replay/tokens.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { limited } from './blocks.js';
import type { ReportPiece, ReportPreamble, RequestColumns } from './data.js';
import { type Forms, type MessagePool, Numbers } from './message-pool.js';

/** The inputs for the requests of a report. */
export interface RequestSource {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
  /** From the root to the last entry of the report's path. */
  readonly path: readonly Head[];
  readonly pool: MessagePool;
  readonly forms: Forms;
  readonly pieces: Pieces;
  /** The message that each entry stores; -1 for none. */
  readonly stored: readonly number[];
  readonly words: Numbers<string>;
  /** The model of each assistant entry, as a number of `words`. */
  readonly models: Int32Array;
  /** The maximum bytes of an entry's texts, for a line of `bytes` bytes. */
  readonly mostOf: (bytes: number) => number;
}

/** The columns while they are being filled. */
export type RequestLists = {
  -readonly [
    Name in 'entries' | 'before' | 'keeps' | 'ranges' | 'preambles' | 'models' | 'levels' | 'uncached' | 'ledgers'
  ]: RequestColumns[Name][number][];
};

/** The results collected over all paths. */
export interface Collected {
  readonly lists: RequestLists;
  /** The request that each entry answers; -1 for none so far. */
  readonly numbers: Int32Array;
}

/** The preambles of all requests. Stores each system part, tool and combination once. */
export class Pieces {
  readonly parts = new Numbers<ReportPiece>();
  readonly tools = new Numbers<ReportPiece>();
  readonly preambles = new Numbers<ReportPreamble>();
  private readonly sums: { system: number; tools: number }[] = [];

  /** `most`: the maximum bytes of a text. */
  constructor(private readonly most: number) {}

  /** `sent`: the tools in the request. Only these are counted. */
  numberOf(
    { system, tools, options }: Pick<EnvelopeContent, 'system' | 'tools' | 'options'>,
    sent: EnvelopeContent['tools'],
  ): number {
    const partTokens = tokensByPart(system.parts, BY_CHARACTERS);
    const toolTokens = tokensByTool(tools, BY_CHARACTERS);
    const parts = system.parts.map(({ name, text }, at) =>
      this.parts.numberOf(JSON.stringify([name, text]), () =>
        this.piece(name, text, partTokens[at]?.tokensEstimated ?? 0),
      ),
    );
    const definitions = tools.map((tool, at) =>
      this.tools.numberOf(JSON.stringify(tool), () =>
        this.piece(asText(tool.name), indentedJson(tool), toolTokens[at]?.tokensEstimated ?? 0),
      ),
    );
    const preamble = { parts, tools: definitions, options: JSON.stringify(options) };
    return this.preambles.numberOf(JSON.stringify([preamble, sent.map(({ name }) => name)]), () => {
      const ledger = emptyBreakdown();
      addContents(ledger, { message: null, textIs: 'system', parts: system.parts, tools: sent }, BY_CHARACTERS);
      this.sums.push({ system: ledger.system, tools: ledger['tool definitions'] });
      return preamble;
    });
  }

  /** Estimated tokens of a preamble. */
  tokensOf(number: number): { readonly system: number; readonly tools: number } {
    return this.sums[number] ?? { system: 0, tools: 0 };
  }

  private piece(name: string, text: string, tokens: number): ReportPiece {
    return { name, text: limited(text, this.most), tokens };
  }
}
