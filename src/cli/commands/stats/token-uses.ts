import { type CompositionRow, ROW_TITLES } from '#analysis/composition/rows.js';
import type { StatsDocument } from '#analysis/stats/document.js';
import { sortLargestFirst, sumBy, sumNumbers } from '#base/lists.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { splitInProportion } from '#base/proportion.js';
import { type Block, type Doc, gap, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { chooseTone } from '#ui/parts/composition-view.js';
import { renderBar } from '#ui/parts/sparkline.js';
import { scaleTokens } from './tables.js';

type Row = readonly Span[];

/** The use of tokens: the context at the leaf beside the whole file. */
export function renderTokenUses(document: StatsDocument, isFull: boolean, width: number): Doc {
  const note = isFull || document.calibration === null ? renderCalibration(document) : [];
  const uses = listTokenUses(document);
  return [gap, renderTitle(document), ...note, buildTable(uses, listMeasures(document, uses), width)];
}

function renderTitle({ scale, tokenizer }: StatsDocument): Block {
  const method = tokenizer.join(', ');
  if (scale === null) return line(span('Estimated', 'strong'), span(` (${method})`, 'faint'));
  return line(span('Tokens', 'strong'), span(` (${method}, scaled to the size of the context)`, 'faint'));
}

/** Two columns of the table: the tokens of each use, and their share of the total. */
interface Measure {
  readonly title: string;
  readonly total: number;
  tokens(use: TokenUse): number | null;
}

/** The context, where it is known to the token, and all entries. */
function listMeasures({ scale, sessions }: StatsDocument, uses: readonly TokenUse[]): readonly [Measure, ...Measure[]] {
  const total = sumBy(uses, (use) => use.all ?? 0);
  const all: Measure = { title: 'all entries', total, tokens: (use) => use.all };
  if (!scale) return [all];
  return [{ title: 'in context', total: sessions[0]?.contextTokens ?? 0, tokens: (use) => use.now }, all];
}

/** The cells that a bar leaves to the kind, and to each measure. */
const KIND_CELLS = 28;
const MEASURE_CELLS = 14;

/** The uses by the first measure, with a bar for each of them, and by the others. */
function buildTable(uses: readonly TokenUse[], measures: readonly [Measure, ...Measure[]], width: number): Block {
  const [drawn, ...others] = measures;
  const drawBar = createBars(uses, width - KIND_CELLS - MEASURE_CELLS * measures.length);
  const rows = uses.map((use): Row => [
    nameKind(use),
    ...renderShare(use, drawn),
    drawBar(use),
    ...others.flatMap((measure) => renderShare(use, measure)),
  ]);
  const totals = others.flatMap(({ total }) => [span(formatCount(total)), EMPTY]);
  const total: Row = [span('total'), span(formatCount(drawn.total)), EMPTY, EMPTY, ...totals];
  const titles = others.flatMap(({ title }) => [right(title), right('')]);
  return table([left('tokens'), right(drawn.title), right(''), left(''), ...titles], [...rows, total]);
}

const EMPTY = span('');

function nameKind({ kind }: TokenUse): Span {
  return span(ROW_TITLES[kind], chooseTone(kind));
}

/** Returns a function that draws the bar of a use, as long as `room` allows for the longest. */
function createBars(uses: readonly TokenUse[], room: number): (use: TokenUse) => Span {
  const longest = uses.reduce((most, use) => Math.max(most, use.drawn), 0);
  const cells = Math.max(6, Math.min(30, room));
  return ({ drawn, kind }) => span(renderBar(drawn, longest, cells), chooseTone(kind));
}

/** The tokens of a kind of content in the context at the leaf and in all entries; null where these have none. */
interface TokenUse {
  readonly kind: CompositionRow['kind'];
  readonly now: number;
  readonly all: number | null;
  /** The tokens that its bar shows. */
  readonly drawn: number;
}

/** The uses of tokens, the largest first. */
function listTokenUses(document: StatsDocument): readonly TokenUse[] {
  const { contents, contextTokensNotItemised: rest, scale } = document;
  const all = scaleContents(document);
  const uses = contents.map(({ kind, contextTokens }, at): TokenUse => {
    const now = contextTokens ?? 0;
    const ofAll = all[at] ?? 0;
    return { kind, now, all: ofAll, drawn: scale ? now : ofAll };
  });
  const shown = uses.filter((use) => use.now > 0 || (use.all ?? 0) > 0);
  if (rest) shown.push({ kind: 'not recorded', now: rest, all: null, drawn: rest });
  return sortLargestFirst(shown, ({ drawn }) => drawn);
}

/** The tokens of all entries by kind, in the unit of the context of one session. */
function scaleContents({ contents, scale }: StatsDocument): readonly number[] {
  const messages = contents.map((content) => content.messageTokensEstimated);
  const declared = contents.map((content) => content.tokensEstimated - content.messageTokensEstimated);
  const ofDeclared = scaleAll(declared, scale && scale.declared);
  return scaleAll(messages, scale && scale.messages).map((tokens, at) => tokens + (ofDeclared[at] ?? 0));
}

function scaleAll(estimated: readonly number[], by: number | null): readonly number[] {
  return splitInProportion(estimated, scaleTokens(sumNumbers(estimated), by));
}

function renderShare(use: TokenUse, measure: Measure): Row {
  const tokens = measure.tokens(use);
  if (tokens === null) return [EMPTY, EMPTY];
  return [span(formatCount(tokens)), span(formatPercent(tokens, measure.total), 'faint')];
}

/** The ratio of the recorded tokens to the estimates. */
function renderCalibration({ calibration, sessions }: StatsDocument): Doc {
  if (calibration === null)
    return [line(span('  no request has recorded tokens to compare these estimates with', 'faint'))];
  const { median, p10, p90 } = calibration.recordedPerEstimated;
  const spread = calibration.requests > 1 ? ` (${p10.toFixed(2)} to ${p90.toFixed(2)})` : '';
  const times = `recorded tokens are ${median.toFixed(2)} times the estimates${spread}`;
  const isKnown = sessions.every(({ preambleKnown }) => preambleKnown);
  return [
    line(span(`  ${times} in ${pluralize(calibration.requests, 'request')}`, 'faint')),
    ...(isKnown
      ? []
      : [line(span('  they include the prompt and the tools, which are not recorded: see --baseline', 'faint'))]),
  ];
}
