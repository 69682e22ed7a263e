import { formatCount, pluralize } from '#base/numbers.js';
import type { CheckBreach, CheckFailure, EngineCheck, EngineInfo } from '#lab/engine-check/document.js';
import { type Block, type Doc, heading, line, span } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';

/** The calls of an engine, what it did, and where it broke the contract. */
export function renderCheck(check: EngineCheck, view: View): Doc {
  const { engine, info, file, requests, compactions, rewrites, overflows, peakTokens } = check;
  const did = [
    pluralize(compactions, 'compaction'),
    pluralize(rewrites, 'rewrite'),
    `${formatCount(overflows)} over the budget`,
  ];
  const calls = check.calls.map(({ method, times }) => `${method} ${formatCount(times)}`);
  const order = check.order.map(({ call, times }) => (times === 1 ? call : `${call} ×${times}`));
  return [
    heading(1, `${engine}: ${info ? info.name : 'no engine'}`),
    ...(info ? [line(describeInfo(info))] : []),
    line(`${pluralize(requests, 'request')} of ${file}, the largest about ${pluralize(peakTokens, 'token')} (chars/4)`),
    line(did.join(', ')),
    ...(check.resumedAt === null ? [] : [line(`checked once more from ${check.resumedAt} on, with a past`)]),
    ...renderParagraphs(`calls: ${joinItems(calls)}`, view),
    ...renderParagraphs(`order: ${joinItems(shortenList(order))}`, view),
    // Subagents that are not recorded are the same for all engines.
    ...check.subagents.flatMap(({ file: recorded, contextMode, ends }) =>
      recorded === null ? [] : [line(`subagent ${recorded} (${contextMode}): ${ends}`)],
    ),
    ...check.changedInput.map((method): Block =>
      line(span('note', 'warning'), `: ${method} changes what it is given, which is a copy`),
    ),
    ...check.notes.map((note): Block => line(span('note', 'warning'), `: ${note}`)),
    ...renderVerdict(check, view),
  ];
}

function describeInfo({ id, version, ownsCompaction, turnMaintenanceMode }: EngineInfo): string {
  const named = version === null ? id : `${id} ${version}`;
  const compacts = ownsCompaction ? 'decides itself when to compact' : 'compacts when it is asked to';
  return `${named}: ${compacts}; maintenance in the ${turnMaintenanceMode}`;
}

function joinItems(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ');
}

const BEGINNING = 14;
const END = 4;

function shortenList(items: readonly string[]): readonly string[] {
  if (items.length <= BEGINNING + END) return items;
  return [...items.slice(0, BEGINNING), '…', ...items.slice(-END)];
}

function renderVerdict({ failure, breaches, requests, overflows }: EngineCheck, view: View): Doc {
  if (failure === null && breaches.length === 0) {
    if (requests === 0) return [line(span('the session has no requests, so nothing was checked', 'warning'))];
    if (overflows === 0) return [line(span('it keeps the contract', 'good'))];
    const sent = `${formatCount(overflows)} of ${pluralize(requests, 'request')}`;
    return [line(span(`it keeps the contract, but sends ${sent} over the budget`, 'warning'))];
  }
  return [
    ...breaches.flatMap((breach) => renderBreach(breach, view)),
    ...(failure ? renderFailure(failure, view) : []),
  ];
}

function renderBreach({ clause, sentence, method, message, request, times }: CheckBreach, view: View): Doc {
  const often = times === 1 ? '' : `, ${formatCount(times)} times`;
  return [
    line(span(`it breaks the contract (${clause}) at ${method}, request ${formatCount(request)}${often}`, 'error')),
    ...renderParagraphs(sentence, view),
    ...renderParagraphs(message, view),
  ];
}

function renderFailure({ kind, method, message, request, clause, sentence }: CheckFailure, view: View): Doc {
  const where = method === 'create' ? 'when it was started' : `at ${method}, request ${request}`;
  return [
    line(span(`${SAYS[kind] ?? 'it failed'} ${where}`, 'error')),
    ...renderParagraphs(message, view),
    ...(sentence === null ? [] : renderParagraphs(`the contract (${clause}): ${sentence}`, view)),
  ];
}

const SAYS: Readonly<Record<string, string>> = {
  threw: 'it threw',
  result: 'its answer is not of the contract',
  'timed-out': 'it took too long',
  exited: 'it ended',
};
