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
  const { calibration, sessions } = document;
  const uses = listTokenUses(document);
  const rows = document.scale
    ? buildScaledTable(uses, sessions[0]?.contextTokens ?? 0, width)
    : buildTable(uses, width);
  const note = isFull || calibration === null ? renderCalibration(document) : [];
  return [gap, renderTitle(document), ...note, rows];
}

function renderTitle({ scale, tokenizer }: StatsDocument): Block {
  const method = tokenizer.join(', ');
  if (scale === null) return line(span('Estimated', 'strong'), span(` (${method})`, 'faint'));
  return line(span('Tokens', 'strong'), span(` (${method}, scaled to the size of the context)`, 'faint'));
}

/** The cells of the other columns of each table. */
const CELLS_OF_TABLE = 42;
const CELLS_OF_SCALED_TABLE = 56;

/** The tokens of all entries, with a bar for each kind. */
function buildTable(uses: readonly TokenUse[], width: number): Block {
  const all = sumBy(uses, (use) => use.all ?? 0);
  const drawBar = createBars(uses, width - CELLS_OF_TABLE);
  const rows = uses.map((use): Row => [nameKind(use), ...renderShare(use.all, all), drawBar(use)]);
  const total: Row = [span('total'), span(formatCount(all)), EMPTY, EMPTY];
  return table([left('tokens'), right('all entries'), right(''), left('')], [...rows, total]);
}

/** The tokens of the context, with a bar for each kind, beside those of all entries. */
function buildScaledTable(uses: readonly TokenUse[], now: number, width: number): Block {
  const all = sumBy(uses, (use) => use.all ?? 0);
  const drawBar = createBars(uses, width - CELLS_OF_SCALED_TABLE);
  const rows = uses.map((use): Row => [
    nameKind(use),
    ...renderShare(use.now, now),
    drawBar(use),
    ...renderShare(use.all, all),
  ]);
  const total: Row = [span('total'), span(formatCount(now)), EMPTY, EMPTY, span(formatCount(all)), EMPTY];
  const columns = [left('tokens'), right('in context'), right(''), left(''), right('all entries'), right('')];
  return table(columns, [...rows, total]);
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

function renderShare(tokens: number | null, all: number): Row {
  if (tokens === null) return [EMPTY, EMPTY];
  return [span(formatCount(tokens)), span(formatPercent(tokens, all), 'faint')];
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
