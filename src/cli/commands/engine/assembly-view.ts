import { buildReadingBlocks } from '#analysis/reading/reading-blocks.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { previewMessage } from '#context/words/message-text.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { type Doc, flexible, gap, heading, left, line, right, type Span, span, table, verbatim } from '#ui/doc/doc.js';
import { renderReading } from '#ui/parts/message-view.js';

/** A request as an engine made it: each part, its contributor, its cost, and the text that the model reads. */
export function renderAssembly(assembly: AssemblyDocument, isFull: boolean): Doc {
  return [
    ...renderHead(assembly),
    gap,
    renderPlaced(assembly),
    ...cutLines(assembly),
    ...renderDeeds(assembly),
    ...(isFull ? renderFull(assembly) : [gap, renderMessageTable(assembly)]),
  ];
}

function renderHead(assembly: AssemblyDocument): Doc {
  const { engine, at, request, budget, tokens, overflow, refusals, promptAuthority, checkedTokens } = assembly;
  const used = budget === null ? '' : `, ${formatPercent(tokens.total, budget)} of ${pluralize(budget, 'token')}`;
  const over = overflow ? [span(', over the budget', 'error')] : [];
  const checked = promptAuthority === 'assembled' ? '' : `, ${formatCount(checkedTokens)} before it was assembled`;
  return [
    line(span(engine, 'strong'), `, request ${formatCount(request)} at `, span(at.entryId ?? 'the beginning', 'id')),
    line(`~${pluralize(tokens.total, 'token')}, estimated (${tokens.method})${used}${checked}`, ...over),
    ...refusals.map((refusal) => line(span(`a provider would reject it: ${refusal}`, 'error'))),
  ];
}

const WORDS: Readonly<Record<string, string>> = {
  entry: 'as recorded',
  shortened: 'shortened',
  summary: 'summary',
  engine: 'made by the engine',
};

function renderPlaced({ placed, tokens }: AssemblyDocument): Doc[number] {
  const rows = placed.map(({ by, place, cache, tokens: own, maxTokens, names, messages }) => [
    span(place === 'conversation' ? (WORDS[by] ?? by) : by, 'strong'),
    span(place, TONES[place]),
    span(cache ?? '', 'faint'),
    span(formatCount(own)),
    span(maxTokens === null ? '' : formatCount(maxTokens), 'faint'),
    span(place === 'conversation' ? pluralize(messages, 'message') : names.join(', '), 'faint'),
  ]);
  const sum = placed.reduce((all, row) => all + row.tokens, 0);
  // Titles of messages, brackets around lists, and the difference that rounding makes.
  const rest = tokens.total - sum;
  const frame =
    rest === 0 ? [] : [[span('frame', 'strong'), span(''), span(''), span(formatCount(rest)), span(''), span('')]];
  const total = [span('total', 'strong'), span(''), span(''), span(formatCount(tokens.total)), span(''), span('')];
  return table(
    [left('who'), left('where'), left('cached'), right('tokens'), right('budget'), flexible('what')],
    [...rows, ...frame, total],
  );
}

const TONES: Readonly<Record<AssemblyDocument['placed'][number]['place'], Span['tone']>> = {
  system: 'system',
  tools: 'tools',
  leading: 'messages',
  conversation: 'messages',
  tail: 'messages',
};

/** Nothing is cut without a word. */
function cutLines({ placed }: AssemblyDocument): Doc {
  const rows = placed.flatMap(({ by, cutFrom, maxTokens, leftOut }) => {
    if (cutFrom === null) return [];
    const without = leftOut.length === 0 ? '' : `, without ${leftOut.join(', ')}`;
    return [
      line(
        span(`  ${by}`, 'warning'),
        ` from ${formatCount(cutFrom)} to its budget of ${formatCount(maxTokens ?? 0)}${without}`,
      ),
    ];
  });
  return rows.length === 0 ? [] : [gap, line('cut:'), ...rows];
}

function renderDeeds({ deeds }: AssemblyDocument): Doc {
  const rows = deeds.map(({ request, kind, reason, tokensBefore, tokensAfter }) => {
    const sizes =
      tokensBefore === null || tokensAfter === null
        ? ''
        : `: ~${formatCount(tokensBefore)} → ~${formatCount(tokensAfter)}`;
    return line(span(`  request ${formatCount(request)}`, 'faint'), `  ${kind}, ${reason}${sizes}`);
  });
  return rows.length === 0 ? [] : [gap, line('on the way to it:'), ...rows];
}

function renderMessageTable({ messages, origins }: AssemblyDocument): Doc[number] {
  const all = [...messages.cached, ...messages.uncached];
  return table(
    [right('#'), left('role'), left('from'), right('tokens'), flexible('preview')],
    all.map((message, nth) => [
      span(String(nth + 1), 'faint'),
      span(message.role, message.role === 'user' ? 'strong' : 'plain'),
      renderOrigin(origins[nth]),
      span(formatCount(origins[nth]?.tokens ?? 0)),
      span(`${origins[nth]?.by === 'shortened' ? '[shortened] ' : ''}${previewMessage(message)}`),
    ]),
  );
}

function renderOrigin(origin: AssemblyDocument['origins'][number] | undefined): Span {
  return origin?.entryId ? span(origin.entryId, 'id') : span(origin?.by ?? '', 'faint');
}

function renderFull({ system, tools, messages, origins }: AssemblyDocument): Doc {
  const parts = system.parts.flatMap((part) => [gap, heading(3, part.name), verbatim(part.text)]);
  const all = [...messages.cached, ...messages.uncached];
  const messageBlocks = all.flatMap((message, nth) => [
    gap,
    line(span(`#${nth + 1} `, 'faint'), span(message.role, 'strong'), '  ', renderOrigin(origins[nth])),
    ...renderReading(buildReadingBlocks(message), true),
  ]);
  return [
    gap,
    heading(2, 'System'),
    ...parts,
    gap,
    heading(2, 'Tools'),
    verbatim(JSON.stringify(tools, null, 2), 'json'),
    gap,
    heading(2, 'Messages'),
    ...messageBlocks,
  ];
}
