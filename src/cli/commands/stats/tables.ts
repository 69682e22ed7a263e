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

export function renderToolsTable(document: StatsDocument, isFull: boolean): Doc {
  const { tools, repeats, scale } = document;
  const factor = scale && scale.messages;
  if (tools.length === 0) return [];
  const shown = isFull ? tools : tools.slice(0, FEW.tools);
  const rows = shown.map(({ name, calls, errors, resultTokensEstimated: { sum, p50, p95, max } }): Row => [
    span(name, 'strong'),
    span(formatCount(calls)),
    span(errors === 0 ? '' : formatCount(errors), 'error'),
    ...[sum, p50, p95, max].map((value) => span(formatCount(scaleTokens(value, factor)))),
  ]);
  const numbers = ['calls', 'errors', nameColumn('result tokens', document), 'p50', 'p95', 'max'];
  return [
    gap,
    table([flexible('tool'), ...numbers.map(right)], [...rows, ...listMoreRow(tools.length - shown.length, 'tool')]),
    ...(repeats.results === 0
      ? []
      : [
          line(
            span(`  ${pluralize(repeats.results, 'result')} repeat an earlier one of the same call: `, 'warning'),
            pluralize(scaleTokens(repeats.tokensEstimated, factor), 'estimated token'),
          ),
        ]),
  ];
}

export function renderLargestEntries(document: StatsDocument, isFull: boolean, handleOf: FindHandle): Doc {
  const { largest, sessions, scale } = document;
  const factorOf = (role: string | null): number | null =>
    scale && (role === 'system' ? scale.declared : scale.messages);
  if (largest.length === 0) return [];
  const isOne = sessions.length === 1;
  const shown = isFull ? largest : largest.slice(0, FEW.entries);
  const rows = shown.map(({ file, entryId, line: at, type, role, tokensEstimated: tokens, preview }): Row => [
    span(entryId ?? `line ${at}`, 'id'),
    span(formatCount(scaleTokens(tokens, factorOf(role)))),
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
  const numbers = ['entries', 'est. tokens', 'recorded', 'cost'];
  return [
    gap,
    table(
      [...numbers.map(right), flexible('session')],
      [...rows, ...listMoreRow(sessions.length - shown.length, 'session')],
    ),
  ];
}

/** The tables of `--full`: parts, tool definitions, types of entries, and repeated calls. */
export function renderMoreTables(document: StatsDocument): Doc {
  const { systemParts, toolDefinitions, contextResults, entryTypes, repeats, scale } = document;
  const factor = scale && scale.messages;
  return [
    ...renderNames('results in context', contextResults),
    ...renderNames('system part', systemParts),
    ...renderNames('tool definition', toolDefinitions),
    gap,
    table(
      [left('entry type'), right('entries'), right('bytes'), right(nameColumn('tokens', document))],
      entryTypes.map(({ type, role, entries, bytes, tokensEstimated }): Row => [
        span(role === null ? type : `${type} ${role}`),
        ...[entries, bytes, scaleTokens(tokensEstimated, role === 'system' ? scale && scale.declared : factor)].map(
          (value) => span(formatCount(value)),
        ),
      ]),
    ),
    ...(repeats.calls.length === 0 ? [] : [gap]),
    ...(repeats.calls.length === 0
      ? []
      : [
          table(
            [left('repeated call'), right('again'), right(nameColumn('tokens', document)), flexible('')],
            repeats.calls.map((call): Row => [
              span(call.tool, 'strong'),
              span(formatCount(call.repeats)),
              span(formatCount(scaleTokens(call.tokensEstimated, factor))),
              span(call.arguments),
            ]),
          ),
        ]),
  ];
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

/** Like Pi, the table leaves out models whose calls used no tokens, such as aborted ones. */
export function renderUnusedNote({ calls }: UsageDocument, models: readonly UsageDocument[]): Doc {
  const others = calls - sumBy(models, (model) => model.calls);
  return others === 0
    ? []
    : [line(span(`  without ${pluralize(others, 'call')} to other models, of no tokens`, 'faint'))];
}
