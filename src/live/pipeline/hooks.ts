import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { toTransformBody } from '#lab/hooks/entry-bodies.js';
import { type BoundaryReason, describeUnknownEvent, listUnknownEvents, PI_EVENTS } from '#lab/hooks/events.js';
import { type HookHost, nameModule, type PiView } from '#lab/hooks/hook-host.js';
import { type HookModules, startModules } from '#lab/hooks/modules.js';
import { RejectionFinder } from '#lab/hooks/rejection-finder.js';
import { buildRequestMeta } from '#lab/hooks/request-meta.js';
import { type HookBoundary, type HookTroubles, isFatal, runBoundary } from '#lab/hooks/run-boundary.js';
import { runMessageHandlers } from '#lab/hooks/run-message-handlers.js';
import { countTurns } from '#session/tree/turns.js';
import type { LiveBranch } from '../branch.js';
import type { Live } from '../define.js';
import { type PiContext, toJsonEntry } from '../pi.js';

/** The events of a module that run here. Those of stock Pi run where Pi loads the module as an extension. */
const OUR_EVENTS: ReadonlySet<string> = new Set(['context', 'message', 'message_end']);

export interface HookStart {
  readonly files: readonly string[];
  /** Milliseconds for each call. */
  readonly timeLimit: number;
}

/**
 * The hook modules of a running agent, each in a process of its own that lives as long as the session. A hook that fails
 * changes nothing, and a notice names it once. One that cannot be loaded, or whose process has ended, is off, and the
 * others go on.
 */
export class LiveHooks {
  /** Whether a hook has failed, so that a request may lack its change. */
  hasFailed = false;
  private readonly refusals = new RejectionFinder({});

  private constructor(
    private readonly live: Live,
    private readonly modules: HookModules[],
  ) {}

  /** Loads modules. */
  static async start(live: Live, ctx: PiContext, { files, timeLimit }: HookStart): Promise<LiveHooks> {
    const { signal } = new AbortController();
    const start = { startPlugin: live.startPlugin, timeLimit, signal, onLog() {} };
    const hooks = new LiveHooks(live, []);
    const loading = files.map((file) =>
      startModules({ ...start, files: [file] }).catch((error: unknown) => {
        hooks.noticeFailure(ctx, file, (error as Error).message);
        return [];
      }),
    );
    hooks.modules.push(...(await Promise.all(loading)).flat());
    hooks.noticeEvents(ctx);
    return hooks;
  }

  /** The names of the modules in the session. */
  get names(): readonly string[] {
    return this.running.flatMap(({ modules }) => modules.map(({ file }) => nameModule(file)));
  }

  /** Whether a module looks at messages. */
  get seesMessages(): boolean {
    return this.host.handlers.some(({ event }) => event !== 'context' && OUR_EVENTS.has(event));
  }

  /** Runs the handlers of a boundary. null: none changes anything, or one failed. */
  async changeContext(
    ctx: PiContext,
    reason: BoundaryReason,
    { branch, content }: { readonly branch: LiveBranch; readonly content: EnvelopeContent },
  ): Promise<HookBoundary | null> {
    const { host } = this;
    if (host.handlers.length === 0) return null;
    const { session, path } = branch;
    const request = { session, path, end: path.length, ...countTurns(path) };
    const meta = buildRequestMeta(request, { limit: ctx.model?.contextWindow });
    const view = (): PiView => buildLiveView(ctx, branch, content);
    const boundary = await runBoundary(host, content, { reason, meta, view });

    this.noticeStock(ctx);
    this.noticeFailures(ctx, boundary);
    if (isFatal(boundary)) return null;
    const [refusal] = this.refusals.next({ without: content, sent: boundary.after });
    if (refusal !== undefined) {
      this.noticeFailure(ctx, boundary.transforms.at(-1)?.hook ?? '', refusal);
      return null;
    }
    return boundary.transforms.length === 0 ? null : boundary;
  }

  /** The message as the handlers leave it, or the hook that leaves it out of requests; null: it stays. */
  async changeMessage(
    ctx: PiContext,
    message: JsonObject,
  ): Promise<{ readonly message: JsonObject } | { readonly droppedBy: string } | null> {
    const change = await runMessageHandlers(this.host, message);
    this.noticeFailures(ctx, change);
    if (change.kind === 'none') return null;
    const { after, by } = change;
    const lastHook = by.at(-1) ?? '';
    if (after === null) return { droppedBy: nameModule(lastHook) };
    if (after.role === message.role) return { message: after };
    this.noticeFailure(ctx, lastHook, `a ${String(message.role)} message stays one in Pi`);
    return null;
  }

  /** Ends the processes of the modules. */
  async close(): Promise<void> {
    await Promise.all(this.modules.map((module) => module.close()));
  }

  private get running(): readonly HookModules[] {
    return this.modules.filter((module) => !module.isOver());
  }

  private get host(): HookHost {
    const { running } = this;
    return {
      handlers: running.flatMap(({ handlers }) => handlers),
      async render(hook, ...transform) {
        return (await findOwner(running, hook)?.render(hook, ...transform)) ?? null;
      },
    };
  }

  private noticeFailures(ctx: PiContext, { failures, violations }: HookTroubles): void {
    for (const { hook, message } of [...failures, ...violations]) this.noticeFailure(ctx, hook, message);
  }

  private noticeFailure(ctx: PiContext, hook: string, why: string): void {
    this.hasFailed = true;
    const isRunning = findOwner(this.running, hook) !== undefined;
    this.notice(ctx, hook, isRunning ? why : `${why}; it is off until /reload`);
  }

  /** Names the events of the modules that do not run here. */
  private noticeEvents(ctx: PiContext): void {
    for (const { file, events } of this.modules.flatMap(({ modules }) => modules)) {
      const notes = listUnknownEvents(events).map(describeUnknownEvent);
      const others = events.filter((event) => PI_EVENTS.includes(event) && !OUR_EVENTS.has(event));
      if (others.length > 0) notes.push(noteNotRun(others));
      if (notes.length > 0) this.notice(ctx, file, notes.join('; '), `events of ${file}`);
    }
  }

  /** Names modules whose `context` handlers turned out to be those of stock Pi. */
  private noticeStock(ctx: PiContext): void {
    for (const handler of this.host.handlers) {
      if (handler.dialect?.() !== 'stock') continue;
      this.notice(ctx, handler.hook, noteNotRun(['context']), `context of ${handler.hook}`);
    }
  }

  /** `cause` tells notices on the same module apart. */
  private notice(ctx: PiContext, hook: string, why: string, cause = `hook ${hook}`): void {
    this.live.notice(ctx, { cause, text: `ctx: hook ${nameModule(hook)}: ${why}`, level: 'warning' });
  }
}

function findOwner(running: readonly HookModules[], hook: string): HookModules | undefined {
  return running.find(({ modules }) => modules.some(({ file }) => file === hook));
}

function noteNotRun(events: readonly string[]): string {
  return `${events.join(', ')} not run; load the module as an extension of Pi`;
}

/** The entries of the transforms of a boundary, marked with the modules that wrote them. */
export function listTransformEntries({ transforms }: HookBoundary): readonly JsonObject[] {
  return transforms.map((transform) => {
    const { type: _, ...data } = toTransformBody(transform);
    const hook = nameModule(transform.hook);
    // A transformer without a name has that of its file, whose folders readers of the session need not see.
    const transformerName = transform.transformerName === transform.hook ? hook : transform.transformerName;
    return { ...data, transformerName, writtenBy: { hook } };
  });
}

/** The session for a `context` handler that may or may not be written for stock Pi. */
function buildLiveView(ctx: PiContext, { session }: LiveBranch, { system, tools, messages }: EnvelopeContent): PiView {
  const { model } = ctx;
  return {
    branch: ctx.sessionManager.getBranch().map(toJsonEntry),
    header: session.header.fields,
    file: session.file,
    name: null,
    projection: [{ entryId: null, messages: messages.cached }],
    model: model ? { provider: model.provider, id: model.id } : null,
    thinkingLevel: 'off',
    contextWindow: model?.contextWindow ?? null,
    tokens: ctx.getContextUsage()?.tokens ?? 0,
    systemPrompt: system.compiled,
    tools: tools.map((tool) => ({ ...tool })),
  };
}
