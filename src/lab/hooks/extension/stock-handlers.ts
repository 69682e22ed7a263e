import { asObject, type JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { WindowOptions } from '#context/size/window.js';
import { callHandler } from '../call-handler.js';
import type { StockEvent } from '../events.js';
import type { Handler, HookHost, PiView } from '../hook-host.js';
import type { EventRun } from '../hook-request.js';
import type { HookedPath } from '../hooked-path.js';
import type { HandlerAnswer } from '../plugin/hook-methods.js';
import { buildPiView } from './pi-view.js';

/** The effect of an answer, or the reason why it is invalid. */
export type AnswerUse = (Pick<EventRun, 'outcome'> & { readonly what?: string }) | { readonly wrong: string };

/** The building of an event, and the use of its answers. */
export interface EventUse {
  /** Builds the event as the next handler gets it. */
  make(): JsonObject;
  take(answer: HandlerAnswer): AnswerUse;
}

/** The calls of handlers in order, and drafts of the entries that they appended. */
export interface HandlerRecord {
  readonly events: readonly EventRun[];
  readonly drafts: readonly JsonObject[];
}

/** The handlers of stock Pi on a path, and what they did since the last time that was asked. */
export class StockHandlers {
  private readonly events: EventRun[] = [];
  private readonly drafts: JsonObject[] = [];

  constructor(
    private readonly host: HookHost,
    readonly hooked: HookedPath,
    private readonly window: WindowOptions,
  ) {}

  has(event: StockEvent): boolean {
    return listStockHandlers(this.host, event).length > 0;
  }

  /** Calls the handlers of an event one after another. One that fails is reported, and skipped. */
  async emit(event: StockEvent, { make, take }: EventUse): Promise<void> {
    const { hooked } = this;
    const at = hooked.heads.findLast(({ index }) => index !== -1) ?? null;
    let view: PiView | null = null;
    for (const handler of listStockHandlers(this.host, event)) {
      const { hook } = handler;
      const reply = await callHandler(hook, () => handler.emit(make(), (view ??= buildPiView(hooked, this.window))));
      if ('failure' in reply) {
        this.events.push({ event, hook, at, outcome: 'failed', what: null, failure: reply.failure });
        continue;
      }
      const { answer } = reply;
      this.append(answer.appended as readonly EntryBody[]);
      if (answer.appended.length > 0) view = null;
      const use = noteAppended(take(answer), answer.appended.length);
      if ('wrong' in use) {
        const failure = { hook, kind: 'threw', message: use.wrong } as const;
        this.events.push({ event, hook, at, outcome: 'failed', what: null, failure });
      } else if (event !== 'session_start') {
        this.events.push({ event, hook, at, outcome: use.outcome, what: use.what ?? null, failure: null });
      }
    }
  }

  /** Makes entries part of the path. `drafts`: the entries as handlers wrote them, if they differ. */
  append(bodies: readonly EntryBody[], drafts: readonly JsonObject[] = bodies): void {
    this.drafts.push(...drafts);
    this.hooked.add(bodies);
  }

  takeRecord(): HandlerRecord {
    return { events: this.events.splice(0), drafts: this.drafts.splice(0) };
  }
}

type StockHandler = Handler & Required<Pick<Handler, 'emit'>>;

/** The handlers that stock Pi calls for an event, in its order. */
function listStockHandlers({ handlers }: HookHost, event: StockEvent): readonly StockHandler[] {
  return handlers.filter(
    (handler): handler is StockHandler =>
      handler.event === event && handler.emit !== undefined && handler.dialect?.() !== 'proposal',
  );
}

function noteAppended(use: AnswerUse, appended: number): AnswerUse {
  if ('wrong' in use || use.what !== undefined || appended === 0) return use;
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
