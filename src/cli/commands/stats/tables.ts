import type { NamedShare, StatsDocument, UsageDocument } from '#analysis/stats/document.js';
import { countUnpricedCalls, describeUsageCost, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { LISTED_PRICES_NOTE } from '#base/dollars.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { FindHandle } from '#cli/sessions/handles.js';
import { type Doc, fileSpan, flexible, gap, left, line, right, type Span, span, table } from '#ui/doc/doc.js';

const FEW = { tools: 6, entries: 3, sessions: 8 };

type Row = readonly Span[];

/** Estimated tokens in the unit of the screen: multiplied by the factor of the context of one session. */
export function scaleTokens(tokensEstimated: number, factor: number | null): number {
  return Math.round(tokensEstimated * (factor ?? 1));
}

/** The mark of numbers that are not shares of a measured size. */
function nameColumn(name: string, { scale }: StatsDocument): string {
  return scale ? `~${name}` : `est. ${name}`;
}

/** The tools by the tokens of their results, and the results that repeat an earlier one. */
export function renderToolsTable(document: StatsDocument, isFull: boolean): Doc {
  const { tools, scale } = document;
  if (tools.length === 0) return [];
  const factor = scale && scale.messages;
  const shown = isFull ? tools : tools.slice(0, FEW.tools);
  const rows = shown.map(({ name, calls, errors, resultTokensEstimated: { sum, p50, p95, max } }): Row => [
    span(name, 'strong'),
    span(formatCount(calls)),
    span(errors === 0 ? '' : formatCount(errors), 'error'),
    ...[sum, p50, p95, max].map((value) => span(formatCount(scaleTokens(value, factor)))),
  ]);
  const numbers = ['calls', 'errors', nameColumn('result tokens', document), 'p50', 'p95', 'max'];
  const columns = [flexible('tool'), ...numbers.map(right)];
  const more = listMoreRow(tools.length - shown.length, 'tool');
  return [gap, table(columns, [...rows, ...more]), ...renderRepeatedResults(document)];
}

function renderRepeatedResults({ repeats, scale }: StatsDocument): Doc {
  if (repeats.results === 0) return [];
  const results = pluralize(repeats.results, 'result');
  const tokens = scaleTokens(repeats.tokensEstimated, scale && scale.messages);
  return [
    line(
      span(`  ${results} repeat an earlier one of the same call: `, 'warning'),
      pluralize(tokens, 'estimated token'),
    ),
  ];
}

/** The largest entries. The names of sessions come last, since some are long. */
export function renderLargestEntries(document: StatsDocument, isFull: boolean, handleOf: FindHandle): Doc {
  const { largest, sessions } = document;
  if (largest.length === 0) return [];
  const isOne = sessions.length === 1;
  const shown = isFull ? largest : largest.slice(0, FEW.entries);
  const rows = shown.map(({ file, entryId, line: at, type, role, tokensEstimated: tokens, preview }): Row => [
    span(entryId ?? `line ${at}`, 'id'),
    span(formatCount(scaleTokens(tokens, findFactor(document, role)))),
    span(role ?? type),
    ...(isOne ? [span(preview)] : [fileSpan(handleOf(file), file)]),
  ]);
  const columns = [
    left('largest'),
    right(nameColumn('tokens', document)),
    left('what'),
    flexible(isOne ? '' : 'session'),
  ];
  return [gap, table(columns, rows), ...renderScopeNote(document)];
}

/** The factor of a message of a role, as `scaleTokens` takes it: what the prompt and the tools take has another one. */
function findFactor({ scale }: StatsDocument, role: string | null): number | null {
  if (scale === null) return null;
  return role === 'system' ? scale.declared : scale.messages;
}

/** Some of the results and entries in these tables may have left the context. */
function renderScopeNote({ contextTokensEstimated: now, tokensEstimated: all }: StatsDocument): Doc {
  if (now === null || now >= all) return [];
  return [line(span('  tools and largest: of all entries; in the context: ctx show --sort tokens', 'faint'))];
}

/** The dearest sessions. Their names come last, since some are long. */
export function renderSessions({ sessions }: StatsDocument, isFull: boolean, handleOf: FindHandle): Doc {
  const bySize = sessions.toSorted(
    ({ usageRecorded: a }, { usageRecorded: b }) => sumKnownCost(b) - sumKnownCost(a) || b.total - a.total,
  );
  const shown = isFull ? bySize : bySize.slice(0, FEW.sessions);
  const rows = shown.map(({ file, usageRecorded, entries, tokensEstimated }): Row => [
    span(formatCount(entries)),
    span(formatCount(tokensEstimated)),
    span(formatCount(usageRecorded.total)),
    span(describeUsageCost(usageRecorded, '?')),
    fileSpan(handleOf(file), file),
  ]);
  const columns = [...['entries', 'est. tokens', 'recorded', 'cost'].map(right), flexible('session')];
  const more = listMoreRow(sessions.length - shown.length, 'session');
  return [gap, table(columns, [...rows, ...more])];
}

/** The tables of `--full`: parts, tool definitions, types of entries, and repeated calls. */
export function renderMoreTables(document: StatsDocument): Doc {
  const { systemParts, toolDefinitions, contextResults } = document;
  return [
    ...renderNames('results in context', contextResults),
    ...renderNames('system part', systemParts),
    ...renderNames('tool definition', toolDefinitions),
    ...renderEntryTypes(document),
    ...renderRepeatedCalls(document),
  ];
}

function renderEntryTypes(document: StatsDocument): Doc {
  const rows = document.entryTypes.map(({ type, role, entries, bytes, tokensEstimated }): Row => {
    const tokens = scaleTokens(tokensEstimated, findFactor(document, role));
    const numbers = [entries, bytes, tokens].map((value) => span(formatCount(value)));
    return [span(role === null ? type : `${type} ${role}`), ...numbers];
  });
  const columns = [left('entry type'), right('entries'), right('bytes'), right(nameColumn('tokens', document))];
  return [gap, table(columns, rows)];
}

function renderRepeatedCalls(document: StatsDocument): Doc {
  const { calls } = document.repeats;
  if (calls.length === 0) return [];
  const factor = document.scale && document.scale.messages;
  const rows = calls.map((call): Row => [
    span(call.tool, 'strong'),
    span(formatCount(call.repeats)),
    span(formatCount(scaleTokens(call.tokensEstimated, factor))),
    span(call.arguments),
  ]);
  const columns = [left('repeated call'), right('again'), right(nameColumn('tokens', document)), flexible('')];
  return [gap, table(columns, rows)];
}

function renderNames(title: string, names: readonly NamedShare[]): Doc {
  if (names.length === 0) return [];
  const rows = names.map(({ name, tokens }): Row => [span(name), span(formatCount(tokens))]);
  return [gap, table([left(title), right('~tokens')], rows)];
}

function listMoreRow(others: number, what: string): readonly Row[] {
  return others > 0 ? [[span(`… ${pluralize(others, `more ${what}`)}: --full shows all`, 'faint')]] : [];
}

/** Lines that explain the `~` in a table of costs, and what is missing in its total. `models`: the usage by model. */
export function renderCostNotes({ costListed }: UsageDocument, models: readonly UsageDocument[]): Doc {
  const unpriced = countUnpricedCalls(models);
  return [
    ...(costListed === null ? [] : [line(span(`  ${LISTED_PRICES_NOTE}`, 'faint'))]),
    ...(unpriced === 0 ? [] : [line(span(`  without ${pluralize(unpriced, 'call')} of unknown price`, 'faint'))]),
  ];
}

/** Renders a note on models that the table leaves out, as Pi does: their calls used no tokens, such as aborted ones. */
export function renderUnusedNote({ calls }: UsageDocument, models: readonly UsageDocument[]): Doc {
  const others = calls - sumBy(models, (model) => model.calls);
  return others === 0
    ? []
    : [line(span(`  without ${pluralize(others, 'call')} to other models, of no tokens`, 'faint'))];
}
