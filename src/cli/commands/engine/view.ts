import { count, plural } from '#base/words.js';
import type { EngineCheck } from '#engines/check/check.js';
import type { View } from '#ui/doc/define.js';
import { type Block, type Doc, heading, line, span } from '#ui/doc/doc.js';
import { paragraphs } from '#ui/doc/paragraphs.js';

type Breach = EngineCheck['breaches'][number];
type Failure = NonNullable<EngineCheck['failure']>;

/** What an engine did over a session, and whether it kept the contract. */
export function engineCheckDoc(check: EngineCheck, view: View): Doc {
  const { engine, info, file, requests, compactions, rewrites, overflows, peakTokens } = check;
  const did = [plural(compactions, 'compaction'), plural(rewrites, 'rewrite'), `${count(overflows)} over the budget`];
  const calls = check.calls.map(({ method, times }) => `${method} ${count(times)}`);
  const order = check.order.map(({ call, times }) => (times === 1 ? call : `${call} ×${times}`));
  return [
    heading(1, `${engine}: ${info ? info.name : 'no engine'}`),
    ...(info ? [line(describe(info))] : []),
    line(`${plural(requests, 'request')} of ${file}, the largest about ${plural(peakTokens, 'token')}`),
    line(did.join(', ')),
    ...(check.resumedAt === null ? [] : [line(`checked once more from ${check.resumedAt} on, with a past`)]),
    ...paragraphs(`calls: ${list(calls)}`, view),
    ...paragraphs(`order: ${list(shortened(order))}`, view),
    ...check.changedInput.map((method): Block =>
      line(span('note', 'warning'), `: ${method} changes what it is given, which is a copy`),
    ),
    ...verdict(check, view),
  ];
}

function describe({ id, version, ownsCompaction, turnMaintenanceMode }: NonNullable<EngineCheck['info']>): string {
  const named = version === null ? id : `${id} ${version}`;
  const compacts = ownsCompaction ? 'decides itself when to compact' : 'compacts when it is asked to';
  return `${named}: ${compacts}; maintenance in the ${turnMaintenanceMode}`;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ');
}

const BEGINNING = 14;
const END = 4;

function shortened(items: readonly string[]): readonly string[] {
  if (items.length <= BEGINNING + END) return items;
  return [...items.slice(0, BEGINNING), '…', ...items.slice(-END)];
}

function verdict({ failure, breaches }: EngineCheck, view: View): Doc {
  if (failure === null && breaches.length === 0) return [line(span('it keeps the contract', 'good'))];
  return [...breaches.flatMap((breach) => breachDoc(breach, view)), ...(failure ? failureDoc(failure, view) : [])];
}

function breachDoc({ clause, sentence, method, message, request, times }: Breach, view: View): Doc {
  const often = times === 1 ? '' : `, ${count(times)} times`;
  return [
    line(span(`it breaks the contract (${clause}) at ${method}, request ${count(request)}${often}`, 'error')),
    ...paragraphs(sentence, view),
    ...paragraphs(message, view),
  ];
}

function failureDoc({ kind, method, message, request, clause, sentence }: Failure, view: View): Doc {
  const where = method === 'create' ? 'when it was started' : `at ${method}, request ${request}`;
  return [
    line(span(`${SAYS[kind] ?? 'it failed'} ${where}`, 'error')),
    ...paragraphs(message, view),
    ...(sentence === null ? [] : paragraphs(`the contract (${clause}): ${sentence}`, view)),
  ];
}

const SAYS: Readonly<Record<string, string>> = {
  threw: 'it threw',
  result: 'its answer is not of the contract',
  'timed-out': 'it took too long',
  exited: 'it ended',
};
