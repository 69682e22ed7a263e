/** The interface for hook modules: `pi-ctx/hooks`. Types, and a function that only types a hook. */

type Json = Readonly<Record<string, unknown>>;

/** A message as the model receives it. */
export interface HookMessage {
  role: 'user' | 'assistant' | 'toolResult';
  content?: unknown;
  timestamp?: number;
  [field: string]: unknown;
}

/**
 * A message in the agent's own form: `user`, `assistant`, `toolResult`, and roles that become one of them when they are
 * sent.
 */
export interface AgentMessage {
  readonly role: string;
  readonly [field: string]: unknown;
}

export interface HookSystemPart {
  name: string;
  text: string;
}

/** The definition of a tool for the model. */
export interface HookTool {
  name: string;
  description?: string;
  parameters?: unknown;
  [field: string]: unknown;
}

/** Everything that a request sends. A hook receives a copy: changing it has no effect. */
export interface HookEnvelope {
  system: { parts: HookSystemPart[]; compiled: string };
  tools: HookTool[];
  messages: { cached: HookMessage[]; uncached: HookMessage[] };
  options: { reasoning?: string; temperature?: number; maxTokens?: number };
  meta: {
    model: { provider?: string; modelId?: string } | null;
    /** The model's context window in tokens; null if it is unknown. */
    limit: number | null;
    turnIndex: number;
    requestIndex: number;
    /** Aborted when the hook takes too long, or the run is interrupted. */
    signal: AbortSignal;
  };
}

export type ContextReason = 'before_request' | 'ephemeral' | 'turn_end';

export interface ContextEvent {
  type: 'context';
  reason: ContextReason;
  state: { envelope: HookEnvelope };
  /** All messages that are sent, as stock Pi gives them to a handler. */
  messages: HookMessage[];
}

/** An op on cached messages, with the reason for losing the cache. */
interface Cached {
  scope: 'cached';
  invalidateCacheReason: string;
}

export type ContextPatchOp =
  | ({ op: 'system_part_set'; partName: string; text: string } & Cached)
  | ({ op: 'system_part_remove'; partName: string } & Cached)
  | ({ op: 'system_parts_replace'; parts: HookSystemPart[] } & Cached)
  | ({ op: 'tools_replace'; tools: HookTool[] } & Cached)
  | ({ op: 'tools_remove'; toolNames: string[] } & Cached)
  | ({ op: 'messages_cached_replace'; messages: HookMessage[] } & Cached)
  | { op: 'messages_uncached_append'; scope: 'uncached'; messages: HookMessage[] }
  | ({
      op: 'options_set';
      reasoning?: string | null;
      temperature?: number | null;
      maxTokens?: number | null;
    } & Cached)
  | ({
      op: 'compaction_apply';
      summary: string;
      timestamp: number;
      firstKeptMessageIndex: number;
      tokensBefore?: number;
    } & Cached);

/** The title and summary of a transform, for readers of the session. */
export interface TransformDisplay {
  title: string;
  summary?: string;
  markdown?: string;
  /** A renderer of `registerContextTransformRenderer`. */
  rendererId?: string;
  rendererProps?: unknown;
}

export interface ContextResult {
  patch?: ContextPatchOp[];
  /** The messages of this request instead of its own, as a handler of stock Pi returns them; only at `ephemeral`. */
  messages?: AgentMessage[];
  /** The name of the transform (default: the path of the module). */
  transformerName?: string;
  display?: TransformDisplay;
}

/** A complete message, before Pi shows it, writes it to the session and sends it with later requests. */
export interface MessageEvent {
  type: 'message' | 'message_end';
  message: AgentMessage;
}

/** The message that replaces it, by itself or as `message`; null omits it; nothing keeps it. */
export type MessageResult = AgentMessage | { message?: AgentMessage | null } | null | undefined | void;

/** The context that a hook receives. There is no user interface: a hook cannot ask the user. */
export interface HookContext {
  cwd: string;
  hasUI: boolean;
  ui: {
    notify(text: string): void;
    confirm(title: string, text?: string): boolean | Promise<boolean>;
    [method: string]: unknown;
  };
}

/** A transform as a renderer receives it. */
export interface RenderedTransform {
  transformerName: string;
  rendererId: string;
  rendererProps: unknown;
  title: string;
  summary: string | null;
  markdown: string | null;
  patch: ContextPatchOp[];
}

/** Returns Markdown, alone or as `markdown`, or a component that renders lines. */
export type TransformRenderer = (
  transform: RenderedTransform,
  options: { expanded: boolean },
) => string | { markdown: string } | { render(width: number): string[] } | undefined;

type Awaitable<Value> = Value | Promise<Value>;

export interface HookAPI {
  on(
    event: 'context',
    handler: (event: ContextEvent, context: HookContext) => Awaitable<ContextResult | undefined | void>,
  ): void;
  on(
    event: 'message' | 'message_end',
    handler: (event: MessageEvent, context: HookContext) => Awaitable<MessageResult>,
  ): void;
  /**
   * Other events: those of stock Pi that concern the context are run, and the rest is named in the report. See
   * docs/lab/hooks.md.
   */
  on<Name extends string>(
    event: Name extends 'context' | 'message' | 'message_end' ? never : Name,
    handler: (event: Json, context: HookContext) => unknown,
  ): void;
  registerContextTransformRenderer(id: string, render: TransformRenderer): void;
  /** Other functions of Pi do nothing here. */
  sendMessage(...args: unknown[]): void;
  appendEntry(...args: unknown[]): void;
  registerCommand(...args: unknown[]): void;
  registerTool(...args: unknown[]): void;
}

/** The default export of a hook module. */
export type Hook = (pi: HookAPI) => void | Promise<void>;

/** Gives a hook in JavaScript its types. */
export function defineHook(hook: Hook): Hook {
  return hook;
}
