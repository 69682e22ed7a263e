import { canonicalJson } from '#base/canonical-json.js';
import type { JsonObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Head } from '#session/heads/head.js';
import { countLineBytes, toEphemeralBody, toTransformBody } from './entry-bodies.js';
import type { BoundaryReason, HookReason } from './events.js';
import { buildPiView } from './extension/pi-view.js';
import { type HookHost, nameModule } from './hook-host.js';
import type { BoundaryRun, MessageRun } from './hook-request.js';
import type { HookedPath } from './hooked-path.js';
import { buildRequestMeta } from './request-meta.js';
import { type BoundaryOptions, type HookBoundary, isFatal, runBoundary } from './run-boundary.js';
import { listMessageHandlers, runMessageHandlers } from './run-message-handlers.js';

interface ProposalOptions {
  readonly window: WindowOptions;
  /**
   * Loads the modules a second time, as after a restart of Pi: they are asked again about their own results. null: that
   * does not work.
   */
  again(): Promise<HookHost | null>;
}

/** Runs hooks of the proposal on the way along a path: calls their handlers, and makes their results part of it. */
export class ProposalRun {
  /** Reasons whose hooks change their own result; they are not asked again. */
  private readonly unsteady = new Set<HookReason>();

  constructor(
    private readonly host: HookHost,
    private readonly hooked: HookedPath,
    private readonly options: ProposalOptions,
  ) {}

  /** Whether a handler looks at messages. */
  get seesMessages(): boolean {
    return listMessageHandlers(this.host).length > 0;
  }

  /** Runs the handlers of a context event, and persists what lasts. */
  async runBoundary(reason: BoundaryReason, at: Head | null): Promise<BoundaryRun> {
    const { hooked, host } = this;
    const { window } = this.options;
    const options = {
      reason,
      meta: buildRequestMeta(hooked, window),
      view: () => buildPiView(hooked, window),
    };
    const boundary = await runBoundary(host, hooked.content(), options);
    const run = { ...boundary, at, idempotent: null, bytes: 0 };
    if (isFatal(boundary)) return run;
    if (reason === 'ephemeral') {
      const { uncached } = boundary.after.messages;
      return uncached.length === 0 ? run : { ...run, bytes: countLineBytes(toEphemeralBody(uncached)) };
    }
    const bodies = boundary.transforms.map(toTransformBody);
    hooked.add(bodies);
    const idempotent = await this.isIdempotent(boundary, options);
    return { ...run, idempotent, bytes: sumBy(bodies, countLineBytes) };
  }

  private async isIdempotent(boundary: HookBoundary, options: BoundaryOptions): Promise<boolean | null> {
    const { reason, transforms, after } = boundary;
    if (transforms.length === 0 || this.unsteady.has(reason)) return null;
    const host = await this.options.again();
    if (host === null) return null;
    const again = await runBoundary(host, after, options);
    if (isFatal(again)) return null;
    return this.noteSteadiness(
      reason,
      again.transforms.length === 0 || canonicalJson(again.after) === canonicalJson(after),
    );
  }

  /** Runs the handlers of a complete message. Modules that ran in the agent have seen it there. */
  async completeMessage(head: Head, before: JsonObject): Promise<MessageRun> {
    const { hooked, host } = this;
    const droppedBy = hooked.live.findDroppingHook(head);
    if (droppedBy !== null)
      return {
        kind: 'dropped',
        by: [droppedBy],
        before,
        after: null,
        failures: [],
        violations: [],
        head,
        idempotent: null,
      };
    const handlers = host.handlers.filter(({ hook }) => !hooked.live.modules.has(nameModule(hook)));
    const message = await runMessageHandlers({ ...host, handlers }, before);
    const { kind, after } = message;
    const idempotent = kind === 'replaced' && after !== null ? await this.isMessageIdempotent(after) : null;
    return { ...message, head, idempotent };
  }

  private async isMessageIdempotent(after: JsonObject): Promise<boolean | null> {
    if (this.unsteady.has('message')) return null;
    const host = await this.options.again();
    if (host === null) return null;
    const again = await runMessageHandlers(host, after);
    return this.noteSteadiness('message', again.kind === 'none');
  }

  private noteSteadiness(reason: HookReason, isIdempotent: boolean): boolean {
    if (!isIdempotent) this.unsteady.add(reason);
    return isIdempotent;
  }
}
