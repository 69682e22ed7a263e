import type { JsonObject } from '#base/json.js';

/**
 * The part of Pi's `ExtensionAPI` that is used, as structural types: Pi is no dependency. A test compiles them against
 * Pi's own types.
 */
export interface Pi {
  on(event: 'session_start', handler: PiHandler<LiveEvent>): unknown;
  on(event: 'session_shutdown', handler: PiHandler<LiveEvent>): unknown;
  on(event: 'session_tree', handler: PiHandler<LiveEvent>): unknown;
  on(event: 'session_before_compact', handler: PiHandler<BeforeCompactEvent, BeforeCompactResult>): unknown;
  on(event: 'session_compact', handler: PiHandler<LiveEvent>): unknown;
  on(event: 'context', handler: PiHandler<MessagesEvent, MessagesResult>): unknown;
  on(event: 'context_with_system', handler: PiHandler<MessagesEvent, MessagesResult>): unknown;
  on(event: 'turn_end', handler: PiHandler<BoundaryEvent, BoundaryResult>): unknown;
  on(event: 'agent_before_settle', handler: PiHandler<BoundaryEvent, BoundaryResult>): unknown;
  on(event: 'agent_end', handler: PiHandler<LiveEvent>): unknown;
  on(event: 'agent_settled', handler: PiHandler<LiveEvent>): unknown;
  on(event: 'turn_start', handler: PiHandler<LiveEvent>): unknown;
  on(event: 'message_end', handler: PiHandler<MessageEndEvent, MessageEndResult>): unknown;
  on(event: 'model_select', handler: PiHandler<LiveEvent>): unknown;
  registerCommand(name: string, options: PiCommand): void;
  /** Appends a `custom` entry, which Pi does not send to the model. */
  appendEntry(customType: string, data?: unknown): void;
  getThinkingLevel(): string;
  /** The effective settings of Pi. */
  getSettings(): object;
}

/** Pi awaits a handler, and reports its error and goes on. */
export type PiHandler<Event, Result = void> = (event: Event, ctx: PiContext) => Promise<Result | void> | Result | void;

export interface LiveEvent {
  readonly type: string;
}

/** The transcript of a request; that of `context_with_system` contains the system messages. */
export interface MessagesEvent extends LiveEvent {
  messages: PiMessage[];
}

export interface MessagesResult {
  messages?: OfPi[];
}

/** A value that Pi passed, or that a file of Pi holds. Pi's own type of it is stricter. */
// oxlint-disable-next-line typescript/no-explicit-any
type OfPi = any;

/** A message of Pi, as its session files hold it. */
export interface PiMessage {
  readonly role: string;
}

export interface BeforeCompactEvent extends LiveEvent {
  readonly reason: string;
}

export interface BeforeCompactResult {
  cancel?: boolean;
}

/** The end of a turn or of a run, where a handler may append entries. */
export interface BoundaryEvent extends LiveEvent {
  readonly entries: readonly BoundaryDraft[];
  /** `pendingMessages`: the messages that Pi sends next. */
  readonly context: { readonly pendingMessages: readonly PiMessage[] };
}

export interface BoundaryResult {
  entries?: BoundaryDraft[];
}

/** An entry that Pi appends: it adds id, parent and time. */
export type BoundaryDraft =
  | { type: 'custom'; customType: string; data?: unknown }
  | { type: 'custom_message'; customType: string; content: OfPi; display: boolean; details?: unknown }
  | { type: 'context_edit'; targetId: string; replacement: { content: OfPi } | null }
  | { type: 'compaction'; summary: string; firstKeptEntryId: string | null; details?: unknown };

export interface MessageEndEvent extends LiveEvent {
  readonly message: PiMessage;
}

/** A message that replaces another one, and keeps its role. */
export interface MessageEndResult {
  message?: OfPi;
}

export interface PiCommand {
  description?: string;
  getArgumentCompletions?: (prefix: string) => Completions | null | Promise<Completions | null>;
  handler: (args: string, ctx: PiCommandContext) => Promise<void>;
}

/** The texts that complete all arguments that were typed. */
type Completions = Completion[];

export interface Completion {
  value: string;
  label: string;
  description?: string;
}

/** An entry of a session in memory. */
export interface PiEntry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** The context of a handler. */
export interface PiContext {
  readonly mode: string;
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly ui: PiUi;
  readonly sessionManager: PiSessions;
  readonly modelRegistry: { getProvider(id: string): object | undefined };
  readonly model: { readonly id: string; readonly provider: string; readonly contextWindow: number } | undefined;
  /** undefined if no request is running. */
  readonly signal: AbortSignal | undefined;
  isProjectTrusted(): boolean;
  isIdle(): boolean;
  abort(): void;
  getContextUsage(): { readonly tokens: number | null; readonly contextWindow: number } | undefined;
}

export interface PiCommandContext extends PiContext {
  waitForIdle(): Promise<void>;
  /** `withSession` gets the context of the session that was read; the one before it is stale. */
  switchSession(
    sessionPath: string,
    options?: { withSession?: (ctx: PiContext) => Promise<void> },
  ): Promise<{ cancelled: boolean }>;
}

export interface PiUi {
  notify(message: string, type?: 'info' | 'warning' | 'error'): void;
  confirm(title: string, message: string): Promise<boolean>;
  setStatus(key: string, text: string | undefined): void;
  /** Shows a component in place of the editor until it is done. Only in the terminal. */
  custom<Result>(
    factory: (tui: PiTui, theme: PiTheme, keys: PiKeys, done: (result: Result) => void) => Promise<PiComponent>,
  ): Promise<Result>;
}

/** A part of the terminal: lines that fit into a width, and keys. */
export interface PiComponent {
  render(width: number): string[];
  handleInput(key: string): void;
  handleMouse?(event: { readonly type: string; readonly wheelDelta?: number }): { handled: boolean };
  invalidate(): void;
}

export interface PiTui {
  readonly terminal: { readonly rows: number };
  requestRender(): void;
}

export interface PiTheme {
  fg(colour: 'border' | 'dim', text: string): string;
}

export interface PiKeys {
  matches(key: string, action: `tui.select.${'up' | 'down' | 'pageUp' | 'pageDown' | 'confirm' | 'cancel'}`): boolean;
}

export interface PiSessions {
  getSessionFile(): string | undefined;
  getSessionId(): string;
  getLeafId(): string | null;
  /** null before the session exists. */
  getHeader(): object | null;
  /** The entries from the root to the leaf: the objects that Pi keeps, so that equal ones are identical. */
  getBranch(): readonly PiEntry[];
  /** All entries, in the order of the file. */
  getEntries(): readonly PiEntry[];
  buildSessionProjection(): { readonly messages: readonly PiMessage[] };
}

/** An entry of Pi as the rooms before this one read it. */
export function toJsonEntry(entry: PiEntry): JsonObject {
  return entry as unknown as JsonObject;
}
