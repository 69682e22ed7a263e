import { isObject, type JsonObject } from '#base/json.js';
import { plural } from '#base/words.js';
import type { EntryBody } from '#change/plan/entries.js';
import { GuestFailure } from '#platform/plugin-process/protocol.js';
import type { Head } from '#session/table/head.js';
import type { Handler, HookFailure, HookHost, PiView } from '../define.js';
import type { Emitted } from '../guest/serve-hook.js';

/** The events of stock Pi that are run. */
export const STOCK_EVENTS = [
  'session_start',
  'before_agent_start',
  'context',
  'context_with_system',
  'tool_result',
  'turn_end',
  'agent_before_settle',
  'session_before_compact',
] as const;
export type StockEvent = (typeof STOCK_EVENTS)[number];

/** The outcome of one call. `unchanged`: the handler returned something, which changes nothing. */
type EventOutcome = 'nothing' | 'unchanged' | 'changed' | 'cancelled' | 'failed';

/** One call of a handler of an extension, and what came of it. */
export interface EventRun {
  readonly event: StockEvent;
  readonly hook: string;
  /** The last entry of the branch. */
  readonly at: Head | null;
  readonly outcome: EventOutcome;
  /** The change; null without one. */
  readonly what: string | null;
  /** Pi reports it and goes on without the handler. */
  readonly failure: HookFailure | null;
}

/** The use of an answer. */
export type Taken = { readonly outcome: EventOutcome; readonly what?: string } | { readonly wrong: string };

export interface Emission {
  readonly event: StockEvent;
  readonly at: Head | null;
  view(): PiView;
  /** Adds entries of `pi.appendEntry`. */
  append(bodies: readonly EntryBody[]): void;
  /** The event as the next handler gets it. */
  make(): JsonObject;
  take(emitted: Emitted): Taken;
}

/** The handlers that stock Pi calls for an event, in its order. */
export function stockHandlers({ handlers }: HookHost, event: StockEvent): readonly Handler[] {
  return handlers.filter((handler) => handler.event === event && handler.emit && handler.dialect?.() !== 'proposal');
}

/** Calls the handlers of an event one after another. One that fails is reported, and skipped. */
export async function emitAll(
  host: HookHost,
  { event, at, view, append, make, take }: Emission,
): Promise<readonly EventRun[]> {
  const runs: EventRun[] = [];
  for (const handler of stockHandlers(host, event)) {
    const { hook } = handler;
    const run = (outcome: EventOutcome, what: string | null, failure: HookFailure | null = null): void =>
      void runs.push({ event, hook, at, outcome, what, failure });
    const emitted = await answerOf(handler, make(), view());
    if ('failure' in emitted) {
      run('failed', null, emitted.failure);
      continue;
    }
    append(emitted.appended as readonly EntryBody[]);
    const taken = orAppended(take(emitted), emitted.appended.length);
    if ('wrong' in taken) run('failed', null, { hook, kind: 'threw', message: taken.wrong });
    else run(taken.outcome, taken.what ?? null);
  }
  return runs;
}

function orAppended(taken: Taken, appended: number): Taken {
  if ('wrong' in taken || taken.what !== undefined || appended === 0) return taken;
  return { outcome: 'changed', what: `appends ${plural(appended, 'custom entry', 'custom entries')}` };
}

async function answerOf(
  handler: Handler,
  event: JsonObject,
  view: PiView,
): Promise<Emitted | { readonly failure: HookFailure }> {
  try {
    if (!handler.emit) throw new Error(`${handler.hook} cannot be called for ${handler.event}`);
    return await handler.emit(event, view);
  } catch (error) {
    if (!(error instanceof GuestFailure)) throw error;
    return { failure: { hook: handler.hook, kind: error.kind, message: error.message } };
  }
}

/** The members of an answer; none if it is not an object. */
export function membersOf({ value }: Emitted): JsonObject {
  return isObject(value) ? value : {};
}

/** `nothing` for a handler that returned nothing, `unchanged` for one whose answer has no effect. */
export function withoutEffect({ value }: Emitted): Taken {
  return { outcome: value === undefined || value === null ? 'nothing' : 'unchanged' };
}
