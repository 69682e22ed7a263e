import type { Overhead, OverheadItem, OverheadKind, RemovingEdit } from '#analysis/overhead/document.js';
import { joinEdits } from '#analysis/overhead/removing-edits.js';
import { costOf, isNeverUsed } from '#analysis/overhead/sum-overhead.js';
import { formatRecordedCost, LISTED_PRICES_NOTE } from '#base/dollars.js';
import { sumBy, sumNumbers } from '#base/lists.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { shortenPath } from '#cli/sessions/folders.js';
import { formatNameFirst } from '#context/words/tool-call.js';
import type { Io } from '#platform/io.js';
import { type Doc, flexible, gap, heading, line, right, type Span, span, table } from '#ui/doc/doc.js';

type Where = Pick<Io, 'cwd' | 'home'>;

/** The rows of a table; `--json` lists all. */
const MOST_ROWS = 12;

/** The things that requests carried: those that were never used, the others, and the edits that remove them. */
export function renderOverhead(data: Overhead, where: Where): Doc {
  if (data.requests === 0) return [line(span('no request is recorded', 'strong'))];
  const carried = data.items.filter(({ requests }) => requests > 0);
  const never = carried.filter(isNeverUsed);
  const others = carried.filter((item) => !isNeverUsed(item));
  return [
    ...renderHead(data, carried),
    ...renderItems('never used', never, where),
    ...renderItems('used, or always read', others, where),
    ...renderUnrecorded(data),
    ...renderRemoval(never),
    ...renderVerdict(data),
  ];
}

function renderHead(data: Overhead, carried: readonly OverheadItem[]): Doc {
  const { sessions, subagents, requests, requestsRecorded, promptTokens, cacheRead } = data;
  const ofSubagents = subagents === 0 ? '' : ` (${formatCount(subagents)} of subagents)`;
  const estimated = requests - requestsRecorded;
  const how = estimated === 0 ? 'as providers counted them' : `${pluralize(estimated, 'request')} estimated`;
  const tokens = sumBy(carried, (item) => item.tokens);
  const cost = sumCosts(carried);
  return [
    line(
      span(pluralize(sessions, 'session'), 'strong'),
      `${ofSubagents}, ${pluralize(requests, 'request')}, ${formatCount(promptTokens)} prompt tokens, ${how}`,
    ),
    line(
      `cached ${formatPercent(cacheRead, promptTokens)}, cost of the prompts ${describeCost(data.cost, data.isCostListed)}`,
      data.requestsUnpriced > 0 && data.cost !== null
        ? ` without ${pluralize(data.requestsUnpriced, 'request')} of unknown price`
        : '',
    ),
    ...(carried.length === 0
      ? []
      : [
          line(
            span('the rows below', 'strong'),
            `: ${formatCount(tokens / Math.max(1, requests))} tokens a request, ${formatPercent(tokens, promptTokens)} of the prompts, `,
            describeCost(cost, data.isCostListed),
          ),
        ]),
    ...(data.isCostListed ? [line(span(LISTED_PRICES_NOTE, 'faint'))] : []),
  ];
}

function renderItems(title: string, items: readonly OverheadItem[], where: Where): Doc {
  if (items.length === 0) return [];
  const shown = items.slice(0, MOST_ROWS);
  const hasUses = shown.some(({ uses }) => (uses ?? 0) > 0);
  const columns = ['a request', 'requests', 'cached', 'uncached', ...(hasUses ? ['uses'] : [])];
  const rows = shown.map((item): readonly Span[] => [
    span(nameItem(item, where), 'strong'),
    span(formatCount(item.tokensPerRequest ?? 0)),
    span(formatCount(item.requests)),
    span(item.tokensCached === 0 ? '' : describeCost(item.costCached, item.isCostListed), 'faint'),
    span(describeCost(item.costUncached, item.isCostListed), 'faint'),
    ...(hasUses ? [span(item.uses === null ? '' : formatCount(item.uses))] : []),
  ]);
  const more = items.slice(shown.length);
  const rest = sumBy(more, ({ tokens }) => tokens);
  return [
    gap,
    table([flexible(title), ...columns.map(right)], rows),
    ...(more.length > 0
      ? [line(span(`  … ${formatCount(more.length)} more with ${formatCount(rest)} tokens: --json lists all`, 'faint'))]
      : []),
  ];
}

const KINDS: Readonly<Record<OverheadKind, string>> = {
  'memory file': '',
  'mcp server': 'MCP server ',
  tool: 'tool ',
  skill: 'skill ',
  agent: 'agent ',
  hook: 'hook ',
};

const UNNAMED: Readonly<Record<OverheadKind, string>> = {
  'memory file': 'memory files without a path',
  'mcp server': 'MCP servers',
  tool: 'introduction of listed tools',
  skill: 'introduction of skills',
  agent: 'introduction of agents',
  hook: 'hooks without an event',
};

function nameItem({ kind, name }: OverheadItem, where: Where): string {
  if (name === null) return UNNAMED[kind];
  return kind === 'memory file' ? formatNameFirst(shortenPath(name, where)) : `${KINDS[kind]}${name}`;
}

/**
 * The tokens that no row can have, since sessions lack the parts, why, and the tools that are known only by their
 * calls.
 */
function renderUnrecorded({ notRecorded, items, isCostListed }: Overhead): Doc {
  const lacking = notRecorded.filter(({ tokens, parts }) => tokens > 0 || parts.length > 0);
  const rows = lacking.map(({ title, parts, tokens, requests, cost }): readonly Span[] => [
    span(`${title}: ${parts.length === 0 ? 'a part of the prompt' : parts.join(' and ')}`, 'strong'),
    span(formatCount(tokens / Math.max(1, requests))),
    span(formatCount(requests)),
    span(describeCost(cost, isCostListed), 'faint'),
  ]);
  const reasons = lacking.flatMap(({ agent }) => REASONS[agent] ?? []);
  const usedItems = items.filter(({ requests, uses }) => requests === 0 && (uses ?? 0) > 0);
  const names = usedItems
    .toSorted((a, b) => (b.uses ?? 0) - (a.uses ?? 0))
    .map(({ kind, name, uses }) => `${kind === 'mcp server' ? KINDS[kind] : ''}${name} ${formatCount(uses ?? 0)}`);
  const more = names.length > MOST_ROWS ? ` and ${formatCount(names.length - MOST_ROWS)} more` : '';
  const calls = `Calls of tools that no recorded list has: ${names.slice(0, MOST_ROWS).join(', ')}${more}.`;
  return [
    ...(rows.length === 0
      ? []
      : [gap, table([flexible('not recorded'), ...['a request', 'requests', 'cost'].map(right)], rows)]),
    ...reasons.map((reason) => line(span(reason, 'faint'))),
    ...(names.length === 0 ? [] : [line(span(calls, 'faint'))]),
  ];
}

/** Why sessions lack parts of their requests, by agent. */
const REASONS: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code records its prompt, memory files and tools since 2.1.267; --baseline FILE supplies them.',
  codex: 'Codex records no tools of its own and none of MCP servers; --baseline FILE supplies them.',
  pi: 'Pi records its prompt and tools since 0.86; --baseline FILE supplies them.',
};

/** The edits that remove what the table lists. They are never wrapped: they could not be copied. */
function renderRemoval(never: readonly OverheadItem[]): Doc {
  const edits = joinEdits(never.slice(0, MOST_ROWS).flatMap(({ remove }) => remove));
  return edits.length === 0 ? [] : [gap, heading(2, 'To remove what was never used'), ...edits.flatMap(renderEdit)];
}

function renderEdit({ file, text, when }: RemovingEdit): Doc {
  const place = [file === null ? 'run' : `in ${file}`, when].filter((part) => part !== null).join(', ');
  return [
    line(span(`${place}:`, 'faint')),
    ...text.split('\n').map((each) => ({ kind: 'whole', text: `  ${each}` }) as const),
  ];
}

const PLURALS: Readonly<Partial<Record<OverheadKind, string>>> = {
  'mcp server': 'MCP servers',
  tool: 'tools',
  skill: 'skills',
  agent: 'agents',
};

/** One sentence: what was never used, its tokens and its cost. */
function renderVerdict(data: Overhead): Doc {
  const { unused, sessions } = data;
  const some = unused.filter(({ neverUsed }) => neverUsed > 0);
  const next =
    sessions > 1
      ? []
      : [line(span('One session proves little. Of all sessions: ctx overhead all --since 30d', 'faint'))];
  if (some.length === 0) {
    const things = sumBy(unused, (row) => row.things);
    if (things === 0) return next.length === 0 ? [] : [gap, ...next];
    return [gap, line(span('Every recorded tool, skill and agent was used.', 'strong')), ...next];
  }
  const parts = some.map(
    ({ kind, neverUsed, things }) => `${formatCount(neverUsed)} of ${formatCount(things)} ${PLURALS[kind] ?? kind}`,
  );
  const verb = sumBy(some, (row) => row.neverUsed) === 1 ? 'was' : 'were';
  return [
    gap,
    line(
      span(`${AND.format(parts)} ${verb} never used in ${pluralize(sessions, 'session')}`, 'warning'),
      `: ${describeWaste(data, some)}.`,
    ),
    ...next,
  ];
}

const AND = new Intl.ListFormat('en', { type: 'conjunction' });

function describeWaste({ requests, promptTokens, cost }: Overhead, some: Overhead['unused']): string {
  const tokens = sumBy(some, (row) => row.tokens);
  const amounts = some.flatMap((row) => row.cost ?? []);
  const each = `${formatCount(tokens / Math.max(1, requests))} tokens a request (${formatPercent(tokens, promptTokens)})`;
  if (amounts.length === 0) return each;
  const spent = sumNumbers(amounts);
  const isListed = some.some(({ isCostListed }) => isCostListed);
  const share = cost !== null && cost > 0 ? ` (${formatPercent(spent, cost)} of the cost of prompts)` : '';
  return `${each}, ${describeCost(spent, isListed)}${share}`;
}

function sumCosts(items: readonly OverheadItem[]): number | null {
  const amounts = items.flatMap((item) => costOf(item) ?? []);
  return amounts.length === 0 ? null : sumNumbers(amounts);
}

function describeCost(cost: number | null, isListed: boolean): string {
  return formatRecordedCost(isListed ? null : cost, cost, '?');
}
