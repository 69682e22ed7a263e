import { CtxError } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import type { OpenSession } from '#context/open.js';
import { findWindow } from '#context/size/window.js';
import type { EngineCheck } from '#lab/drive/check-document.js';
import { checkEngine } from '#lab/drive/check-engine.js';
import { activePath } from '#session/tree/tree.js';
import { type Block, type Doc, heading, line, span } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';
import { readConfig } from '../../config/read-config.js';
import { type CommandInput, defineCommand, type Outcome, toOutcome } from '../define.js';
import { policyFlags, readActivePolicy } from '../prune/policy.js';
import { openNamedSession, sessionFileArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { hostFlags, readHostValues } from './host-flags.js';
import { openEngine } from './open-engine.js';
import { loadSubagents } from './subagents.js';

const FLAGS = { ...shared.compactionFlags, ...hostFlags, 'time-limit': shared.timeLimit, ...policyFlags };

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'engine check',
  summary: 'Check that a context engine keeps its contract',
  description:
    'Replays a recorded session through a context engine, from start to shutdown, and reports the calls in order, what the ' +
    'engine did, and where it broke the contract. Your engine runs in its own process, and only when you name it here. ' +
    'Writes nothing.',
  args: [
    { name: 'engine', help: 'a TypeScript or JavaScript module, or the name of a built-in engine' },
    sessionFileArgument,
  ],
  flags: FLAGS,
  examples: [
    'ctx engine check ./engine.ts session.jsonl --limit 200k',
    'ctx engine check ./engine.ts session.jsonl --set sessionKey=agent:main --set ttlMs=60000',
    'ctx engine check turn-prune latest --json',
  ],
  async run(input) {
    const { io, args } = input;
    const [engine, session] = args;
    if (engine === undefined)
      throw new CtxError('usage', 'no engine is named', { hint: 'write: ctx engine check ENGINE SESSION' });
    const opened = await openNamedSession(input, session);
    return io.untilInterrupted((signal) => runCheck(input, engine, { session: opened, signal }));
  },
});

async function runCheck(
  { io, flags }: Input,
  engine: string,
  { session, signal }: { readonly session: OpenSession; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { policy, window, baseline } = await readActivePolicy(io, flags);
  const config = await readConfig(io, flags);
  const path = activePath(session.tree);
  const settings = await readCompactionSettings(io, session, path, flags);
  const changedInput = new Set<string>();
  const timeLimit = shared.toTimeLimit(flags['time-limit']);
  const onChangedInput = (method: string): void => void changedInput.add(method);
  const { make, createPast } = await openEngine(engine, { io, config, timeLimit, signal, onChangedInput });
  const tokenBudget = findWindow(session, path, window).tokens;
  const host = readHostValues(flags);
  const children = loadSubagents(io.files, { session, path, host });
  const options = { path, tokenBudget, settings, policy, baseline, signal, createPast, host, children };
  const data = await checkEngine(session, { engine, make, changedInput }, options);
  const isKept = data.failure === null && data.breaches.length === 0;
  return toOutcome({ data, doc: (view) => renderCheck(data, view) }, session, isKept ? 0 : 1);
}

type Breach = EngineCheck['breaches'][number];
type Failure = NonNullable<EngineCheck['failure']>;

function renderCheck(check: EngineCheck, view: View): Doc {
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
    ...(info ? [line(describe(info))] : []),
    line(`${pluralize(requests, 'request')} of ${file}, the largest about ${pluralize(peakTokens, 'token')} (chars/4)`),
    line(did.join(', ')),
    ...(check.resumedAt === null ? [] : [line(`checked once more from ${check.resumedAt} on, with a past`)]),
    ...renderParagraphs(`calls: ${list(calls)}`, view),
    ...renderParagraphs(`order: ${list(shortenList(order))}`, view),
    // Those that are not recorded are the same for all engines.
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

function renderBreach({ clause, sentence, method, message, request, times }: Breach, view: View): Doc {
  const often = times === 1 ? '' : `, ${formatCount(times)} times`;
  return [
    line(span(`it breaks the contract (${clause}) at ${method}, request ${formatCount(request)}${often}`, 'error')),
    ...renderParagraphs(sentence, view),
    ...renderParagraphs(message, view),
  ];
}

function renderFailure({ kind, method, message, request, clause, sentence }: Failure, view: View): Doc {
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
