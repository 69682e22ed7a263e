import { formatCount, pluralize } from '#base/numbers.js';
import type { OpenSession } from '#context/open.js';
import type { HookSummary } from '#lab/hooks/document.js';
import {
  describeUnknownEvent,
  type HookReason,
  listUnknownEvents,
  PI_EVENTS,
  STOCK_EVENTS,
} from '#lab/hooks/events.js';
import type { HookRequest } from '#lab/hooks/hook-request.js';
import type { HookModule } from '#lab/hooks/modules.js';
import type { HookTotals } from '#lab/hooks/tally.js';

interface HookFacts {
  readonly session: OpenSession;
  readonly modules: readonly HookModule[];
  readonly totals: HookTotals;
  /** The number of requests to run. */
  readonly planned: number;
  /** Modules that changed their input. */
  readonly changedInput: ReadonlySet<string>;
  readonly reasons: ReadonlySet<HookReason>;
  /** The newest request; null without any. */
  readonly request: HookRequest | null;
}

/** The last line of a run of hooks. */
export function buildHookSummary(facts: HookFacts): HookSummary {
  const { session, modules, totals, planned } = facts;
  const { requests, failed, failedAfter, refused, transforms, persistedBytes, loggedBytes, growth } = totals;
  return {
    schema: 'ctx/hook-summary',
    schemaVersion: 1,
    file: session.file,
    hooks: modules.map(buildModuleDocument),
    requests,
    failed,
    failedAfter,
    refused,
    notRun: planned - requests,
    transforms,
    persistedBytes,
    loggedBytes,
    sessionBytes: session.source.size,
    growth,
    idempotent: totals.idempotent,
    messages: totals.messages,
    handlers: totals.handlers?.length ? totals.handlers : undefined,
    newTokens: totals.newTokens,
    notes: [...listNotes(facts)],
  };
}

function buildModuleDocument(module: HookModule): HookSummary['hooks'][number] {
  const unknown = listUnknownEvents(module.events);
  return {
    file: module.file,
    events: [...module.events],
    unknownEvents: unknown.length === 0 ? undefined : [...unknown],
    renderers: [...module.renderers],
    notRun: listNotRun(module),
  };
}

const RUN: ReadonlySet<string> = new Set(['message', 'message_end', ...STOCK_EVENTS]);

function listNotRun({ events, ignored }: HookModule): string[] {
  const idleEvents = events.filter((event) => PI_EVENTS.includes(event) && !RUN.has(event));
  return [...new Set([...idleEvents, ...ignored])];
}

function* listNotes(facts: HookFacts): Generator<string> {
  const { totals, modules, changedInput, reasons, planned, request } = facts;
  for (const [reason, isIdempotent] of Object.entries(totals.idempotent)) {
    if (isIdempotent === false) yield `${reason} is not idempotent: hooks change their own result again`;
  }
  const [first, most] = totals.range;
  if (totals.growth === 'quadratic')
    yield `the file grows quadratically: ${formatCount(first)}, then up to ${pluralize(most, 'byte')} a request`;
  if (totals.oversized !== null) yield describeOversize(totals.oversized);
  if (totals.unlogged > 0)
    yield `cached ops for ${pluralize(totals.unlogged, 'request')} alone: the file cannot tell of them`;
  yield* totals.opNotes;
  for (const file of changedInput) yield `${file} changed what it was given, a copy: only what it returns counts`;
  for (const { hook, event, calls, changed, failed } of totals.handlers ?? []) {
    const times = calls === 1 ? 'once' : `${formatCount(calls)} times`;
    if (changed + failed === 0) yield `${hook}: ${event} was called ${times} and changed nothing`;
  }
  for (const module of modules) {
    if (module.events.length + module.renderers.length === 0) yield `${module.file} registers no handler`;
    for (const event of listUnknownEvents(module.events)) yield `${module.file}: ${describeUnknownEvent(event)}`;
    const notRun = listNotRun(module);
    if (notRun.length > 0) yield `${module.file}: not run without an agent: ${notRun.join(', ')}`;
  }
  if (reasons.size > 1 && request?.answer === null)
    yield `request ${request.number} has no answer yet: turn_end is not run, and message only for its prompts`;
  if (planned > totals.requests)
    yield `${pluralize(planned - totals.requests, 'request')} not looked at: a hook has ended`;
}

function describeOversize({ requests, first }: NonNullable<HookTotals['oversized']>): string {
  const { number, limit, tokens, without } = first;
  const which = requests === 1 ? `request ${number}` : `${pluralize(requests, 'request')}, first request ${number}`;
  return `larger than the context window of ${pluralize(limit, 'token')}: ${which}, ~${formatCount(tokens)}, without hooks ~${formatCount(without)}`;
}
