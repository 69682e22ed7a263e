import { asObject, type JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { Head } from '#session/heads/head.js';
import { callHandler } from '../call-handler.js';
import type { StockEvent } from '../events.js';
import type { EventRun } from '../extension-fields.js';
import type { HookFailure } from '../hook-failure.js';
import type { Handler, HookHost, PiView } from '../hook-host.js';
import type { HandlerAnswer } from '../plugin/serve-hook.js';

type EventOutcome = EventRun['outcome'];

/** The use of an answer. */
export type AnswerUse = { readonly outcome: EventOutcome; readonly what?: string } | { readonly wrong: string };

export interface Emission {
  readonly event: StockEvent;
  readonly at: Head | null;
  view(): PiView;
  /** Adds entries of `pi.appendEntry`. */
  append(bodies: readonly EntryBody[]): void;
  /** The event as the next handler gets it. */
  make(): JsonObject;
  take(emitted: HandlerAnswer): AnswerUse;
}

type StockHandler = Handler & Required<Pick<Handler, 'emit'>>;

/** The handlers that stock Pi calls for an event, in its order. */
export function listStockHandlers({ handlers }: HookHost, event: StockEvent): readonly StockHandler[] {
  return handlers.filter(
    (handler): handler is StockHandler =>
      handler.event === event && handler.emit !== undefined && handler.dialect?.() !== 'proposal',
  );
}

/** Calls the handlers of an event one after another. One that fails is reported, and skipped. */
export async function emitAll(
  host: HookHost,
  { event, at, view, append, make, take }: Emission,
): Promise<readonly EventRun[]> {
  const runs: EventRun[] = [];
  for (const handler of listStockHandlers(host, event)) {
    const { hook } = handler;
    const run = (outcome: EventOutcome, what: string | null, failure: HookFailure | null = null): void =>
      void runs.push({ event, hook, at, outcome, what, failure });
    const asked = await callHandler(hook, () => handler.emit(make(), view()));
    if ('failure' in asked) {
      run('failed', null, asked.failure);
      continue;
    }
    const { answer: emitted } = asked;
    append(emitted.appended as readonly EntryBody[]);
    const taken = noteAppended(take(emitted), emitted.appended.length);
    if ('wrong' in taken) run('failed', null, { hook, kind: 'threw', message: taken.wrong });
    else run(taken.outcome, taken.what ?? null);
  }
  return runs;
}

function noteAppended(taken: AnswerUse, appended: number): AnswerUse {
  if ('wrong' in taken || taken.what !== undefined || appended === 0) return taken;
  return { outcome: 'changed', what: `appends ${pluralize(appended, 'custom entry', 'custom entries')}` };
}

/** The members of an answer; none if it is not an object. */
export function readAnswerMembers({ value }: HandlerAnswer): JsonObject {
  return asObject(value);
}

/** `nothing` for a handler that returned nothing, `unchanged` for one whose answer has no effect. */
export function ignoreAnswer({ value }: HandlerAnswer): AnswerUse {
  return { outcome: value === undefined || value === null ? 'nothing' : 'unchanged' };
}
