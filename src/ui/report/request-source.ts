import { addContents, emptyBreakdown, tokensByPart, tokensByTool } from '#analysis/stats/token-breakdown.js';
import { asText } from '#base/json.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { BY_CHARACTERS } from '#context/replay/tokens.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { jsonOf, limited } from './blocks.js';
import type { ReportPiece, ReportPreamble, RequestColumns } from './data.js';
import { type Forms, type MessagePool, Numbers } from './message-pool.js';

/** What requests are made of. */
export interface RequestSource {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
  /** From the root to the entry that the report is about. */
  readonly path: readonly Head[];
  readonly pool: MessagePool;
  readonly forms: Forms;
  readonly pieces: Pieces;
  /** Of each entry the message that it stores; -1 for none. */
  readonly stored: readonly number[];
  readonly words: Numbers<string>;
  /** Of each entry of an assistant its model, as a number of `words`. */
  readonly models: Int32Array;
  /** How many bytes the texts of an entry may take, of a line of so many. */
  readonly mostOf: (bytes: number) => number;
}

/** The columns while they are being filled. */
export type RequestLists = {
  -readonly [
    Name in 'entries' | 'before' | 'keeps' | 'ranges' | 'preambles' | 'models' | 'levels' | 'uncached' | 'ledgers'
  ]: RequestColumns[Name][number][];
};

/** What is collected over all paths. */
export interface Collected {
  readonly lists: RequestLists;
  /** Of each entry the request that it answers; -1 for none so far. */
  readonly numbers: Int32Array;
}

/** What stands before the messages of all requests: each part, tool and combination of them once. */
export class Pieces {
  readonly parts = new Numbers<ReportPiece>();
  readonly tools = new Numbers<ReportPiece>();
  readonly preambles = new Numbers<ReportPreamble>();
  private readonly sums: { system: number; tools: number }[] = [];

  /** `most`: a text may take so many bytes. */
  constructor(private readonly most: number) {}

  /** `sent`: of the tools, those that are part of the request. Only these count. */
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
        this.piece(asText(tool.name), jsonOf(tool), toolTokens[at]?.tokensEstimated ?? 0),
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
