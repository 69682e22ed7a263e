import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { runBoundary, runMessage } from '#engines/hooks/chain.js';
import {
  aboutUnknown,
  type BoundaryReason,
  type HookBoundary,
  isFatal,
  moduleName,
  PI_EVENTS,
  type PiView,
  transformBody,
  unknownEvents,
} from '#engines/hooks/define.js';
import { metaAt } from '#engines/hooks/hooked-path.js';
import { type HookModules, startModules } from '#engines/hooks/modules.js';
import { refusalsOf } from '#engines/hooks/requests.js';
import type { LiveBranch } from '../branch.js';
import type { Live } from '../define.js';
import { asEntry, type PiContext } from '../pi.js';

/** The events of a module that run here. Those of stock Pi run where Pi loads the module as an extension. */
const OUR_EVENTS: ReadonlySet<string> = new Set(['context', 'message', 'message_end']);

export interface HookStart {
  readonly files: readonly string[];
  /** Milliseconds for each call. */
  readonly timeLimit: number;
}

/**
 * The hook modules of a running agent, each in a process of its own that lives as long as the session. A hook that fails
 * changes nothing: the request goes on without it, and a notice names it once.
 */
export class LiveHooks {
  private constructor(
    private readonly live: Live,
    private readonly modules: HookModules,
  ) {}

  /** Loads modules. Throws a CtxError (input) if one cannot be loaded. */
  static async start(live: Live, ctx: PiContext, { files, timeLimit }: HookStart): Promise<LiveHooks> {
    const { startGuest } = live;
    const { signal } = new AbortController();
    const modules = await startModules({ files, startGuest, timeLimit, signal, onLog() {} });
    const hooks = new LiveHooks(live, modules);
    for (const { file, events } of modules.modules) {
      const others = events.filter((event) => PI_EVENTS.includes(event) && !OUR_EVENTS.has(event));
      const notRun = `${others.join(', ')} not run; load the module as an extension of Pi`;
      const said = [...unknownEvents(events).map(aboutUnknown), ...(others.length > 0 ? [notRun] : [])];
      // A cause of its own: the module may still fail, which is a notice too.
      if (said.length > 0) hooks.tell(ctx, file, said.join('; '), `events of ${file}`);
    }
    return hooks;
  }

  /** The names of the modules in the session. */
  get names(): readonly string[] {
    return this.modules.modules.map(({ file }) => moduleName(file));
  }

  /** Whether a module looks at messages. */
  get seesMessages(): boolean {
    return this.modules.handlers.some(({ event }) => event !== 'context' && OUR_EVENTS.has(event));
  }

  /** Runs the handlers of a boundary. null: none changes anything, or one failed. */
  async boundary(
    ctx: PiContext,
    reason: BoundaryReason,
    { branch, content }: { readonly branch: LiveBranch; readonly content: EnvelopeContent },
  ): Promise<HookBoundary | null> {
    if (this.modules.isOver()) return null;
    const meta = metaAt(branch.session, branch.path, { limit: ctx.model?.contextWindow });
    const view = (): PiView => viewOf(ctx, branch, content);
    const boundary = await runBoundary(this.modules, content, { reason, meta, view });
    for (const { hook, message } of [...boundary.failures, ...boundary.violations]) this.tell(ctx, hook, message);
    const [refusal] = isFatal(boundary) ? [] : refusalsOf({ without: content, sent: boundary.after });
    if (refusal !== undefined) this.tell(ctx, boundary.transforms.at(-1)?.hook ?? '', refusal);
    return isFatal(boundary) || refusal !== undefined || boundary.transforms.length === 0 ? null : boundary;
  }

  /** The message as the handlers leave it; null: it stays; `dropped`: it is left out of requests. */
  async message(ctx: PiContext, message: JsonObject): Promise<JsonObject | 'dropped' | null> {
    if (this.modules.isOver()) return null;
    const { kind, by, after, failures, violations } = await runMessage(this.modules, message);
    for (const { hook, message: text } of [...failures, ...violations]) this.tell(ctx, hook, text);
    if (kind === 'none') return null;
    if (after === null) return 'dropped';
    if (after['role'] === message['role']) return after;
    this.tell(ctx, by.at(-1) ?? '', `a ${String(message['role'])} message stays one in Pi`);
    return null;
  }

  /** Ends the processes of the modules. */
  async close(): Promise<void> {
    await this.modules.close();
  }

  private tell(ctx: PiContext, hook: string, why: string, cause = `hook ${hook}`): void {
    const rest = this.modules.isOver() ? '; hooks are off until /reload' : '';
    this.live.notice(ctx, { cause, text: `ctx: hook ${moduleName(hook)}: ${why}${rest}`, level: 'warning' });
  }
}

/** The entries of the transforms of a boundary, marked with the modules that wrote them. */
export function transformsOf({ transforms }: HookBoundary): readonly JsonObject[] {
  return transforms.map((transform) => {
    const { type: _, ...data } = transformBody(transform);
    return { ...data, writtenBy: { hook: moduleName(transform.hook) } };
  });
}

/** The session for a `context` handler that may or may not be written for stock Pi. */
function viewOf(ctx: PiContext, { session }: LiveBranch, { system, tools, messages }: EnvelopeContent): PiView {
  const { model } = ctx;
  return {
    branch: ctx.sessionManager.getBranch().map(asEntry),
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
