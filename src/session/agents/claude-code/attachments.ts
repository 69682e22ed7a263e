import { asObject, asString, isObject, type JsonObject, listObjects, listTexts } from '#base/json.js';
import { memoize } from '#base/memoize.js';
import { isTruthy, VALUE_KIND, valueKindOf } from '../../scan/field-layout.js';
import type { LineFields } from '../../scan/line-fields.js';
import { toTextBlock } from '../blocks.js';
import { joinTextBlocks, toUserContent } from './content.js';
import { CLAUDE_FIELD, KNOWN_TEXT } from './fields.js';

/** The part of an attachment in a request: `queued` are words of the user. `null`: it was not sent. */
type AttachmentUse = 'snapshot' | 'attachment' | 'queued' | null;

/** The attachments of a file: what the client tells the model by itself, and what the user typed while it worked. */
export class Attachments {
  /** Versions that record the words of attachments. */
  private readonly versions = new Set<number>();
  private readonly useOfKind = memoize((kind: number): AttachmentUse => {
    const text = kind === 0 ? null : this.table.text(kind);
    return text === SNAPSHOT ? 'snapshot' : SENT.has(text) ? 'attachment' : null;
  });
  private readonly isSentEvent = memoize(
    (event: number): boolean => event !== 0 && SENT_EVENTS.has(this.table.text(event)),
  );

  /** `lines`: the lines that may be one. */
  constructor(
    private readonly table: LineFields,
    lines: readonly number[],
  ) {
    for (const line of lines) if (this.isRendered(line)) this.versions.add(table.textAt(line, CLAUDE_FIELD.version));
  }

  /** Whether its words are recorded. */
  isRendered(line: number): boolean {
    return valueKindOf(this.table.at(line, CLAUDE_FIELD.rendered)) === VALUE_KIND.list;
  }

  /** Whether any version that wrote the file records the words of attachments. */
  get areRendered(): boolean {
    return this.versions.size > 0;
  }

  useOf(line: number): AttachmentUse {
    if (this.isQueued(line)) return this.isEmpty(line) ? null : 'queued';
    if (this.isRendered(line)) return 'attachment';
    const use = this.useOfKind(this.table.textAt(line, CLAUDE_FIELD.attachment));
    return use === 'attachment' && (this.isEmpty(line) || this.isPrintedAlone(line)) ? null : use;
  }

  /** Whether it has words that the user typed while the agent worked, not a notification of the client. */
  private isQueued(line: number): boolean {
    const { table } = this;
    if (
      table.textAt(line, CLAUDE_FIELD.attachment) !== KNOWN_TEXT.queued ||
      isTruthy(table.at(line, CLAUDE_FIELD.isMetaWords))
    )
      return false;
    const mode = table.textAt(line, CLAUDE_FIELD.mode);
    const from = table.textAt(line, CLAUDE_FIELD.fromKind);
    const isOfUser = from === KNOWN_TEXT.human || !isTruthy(table.at(line, CLAUDE_FIELD.from));
    return (mode === 0 || mode === KNOWN_TEXT.prompt) && isOfUser;
  }

  /** Of what hooks print, the client sends only what they print when a session starts or the user submits a prompt. */
  private isPrintedAlone(line: number): boolean {
    const { table } = this;
    if (table.textAt(line, CLAUDE_FIELD.attachment) !== KNOWN_TEXT.printed) return false;
    return !isTruthy(table.at(line, CLAUDE_FIELD.said)) || !this.isSentEvent(table.textAt(line, CLAUDE_FIELD.event));
  }

  /** A version that records words leaves them out of an attachment that has none, such as a context without files. */
  private isEmpty(line: number): boolean {
    const { table } = this;
    if (this.isRendered(line)) return false;
    return table.textAt(line, CLAUDE_FIELD.role) === 0 && this.versions.has(table.textAt(line, CLAUDE_FIELD.version));
  }

  /** Whether the file lacks words that were sent, or that may have been, since the kind is unknown. */
  isApproximate(line: number): boolean {
    const kind = this.table.textAt(line, CLAUDE_FIELD.attachment);
    if (this.isRendered(line) || this.isEmpty(line) || kind === KNOWN_TEXT.cut) return false;
    if (kind === KNOWN_TEXT.printed) return !this.isPrintedAlone(line);
    return this.useOfKind(kind) !== 'snapshot' && !(kind !== 0 && NEVER_SENT.has(this.table.text(kind)));
  }
}

/** The events of hooks whose plain output is sent. */
const SENT_EVENTS: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit']);

/** Attachments that are not sent in any version that is known. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'hook_system_message',
  'hook_non_blocking_error',
  'hook_error_during_execution',
  'hook_cancelled',
  'hook_permission_decision',
  'already_read_file',
  'command_permissions',
  'edited_image_file',
  'structured_output',
  'dynamic_skill',
  'thinking_drop',
  'thinking_stripped',
]);

/** Attachments that are sent to the model, in words that the file does not record. */
const SENT: ReadonlySet<string | null> = new Set([
  'deferred_tools_record',
  'deferred_tools_delta',
  'instructions',
  'nested_memory',
  'relevant_memories',
  'memory_update',
  'environment',
  'session_context',
  'model',
  'date',
  'date_change',
  'skill_listing',
  'invoked_skills',
  'agent_listing_delta',
  'agent_mention',
  'mcp_instructions_delta',
  'mcp_resource',
  'total_tokens_reminder',
  'token_usage',
  'output_token_usage',
  'budget_usd',
  'ultrathink_effort',
  'edited_text_file',
  'file',
  'directory',
  'pdf_reference',
  'selected_lines_in_ide',
  'opened_file_in_ide',
  'diagnostics',
  'queued_command',
  'hook_additional_context',
  'hook_success',
  'hook_blocking_error',
  'hook_stopped_continuation',
  'async_hook_response',
  'task_reminder',
  'task_status',
  'todo_reminder',
  'critical_system_reminder',
  'output_style',
  'auto_mode',
  'auto_mode_exit',
  'plan_mode',
  'plan_mode_reentry',
  'plan_mode_exit',
  'plan_file_reference',
  'companion_intro',
  'compact_file_reference',
]);

/** The message that represents an attachment: its words in the request, or its own data if they are not recorded. */
export function buildAttachmentMessage({ attachment, rendered, renderedRole: role }: JsonObject): JsonObject {
  const data = asObject(attachment);
  const { type, ...rest } = data;
  const texts = TEXT_FIELDS.flatMap((field) => asString(rest[field]) ?? linesIn(rest[field]) ?? []);
  const changes = CHANGE_FIELDS.flatMap((field) => linesIn(rest[field]) ?? []);
  const said = renderedWords(rendered, role);
  return {
    type: 'custom_message',
    customType: `claude-code:${String(type)}`,
    content: said ?? texts[0] ?? (changes.length > 0 ? changes.join('\n') : JSON.stringify(rest)),
    display: false,
    ...(said === null ? { details: { approximate: true } } : {}),
  };
}

/** A list of texts, such as those of several hooks. */
function linesIn(value: unknown): string | null {
  const texts = listTexts(value);
  return Array.isArray(value) && texts.length > 0 && texts.length === value.length ? texts.join('\n') : null;
}

/** The words of an attachment in the request, which may be several blocks; null if they are not recorded. */
function renderedWords(rendered: unknown, role: unknown): string | readonly JsonObject[] | null {
  if (!Array.isArray(rendered)) return null;
  const [first = '', ...others] = listObjects(rendered).map((each) => wordsOf(each, role));
  return others.length === 0 ? first : [first, ...others].map(toTextBlock);
}

/**
 * The content of the message that represents what the user typed while the agent worked: of an attachment, or of the
 * line that queued it, which is the last one.
 */
export function toQueuedContent(values: readonly JsonObject[]): unknown {
  const { rendered, attachment, content } = values.at(-1) ?? {};
  return (
    renderedWords(rendered, null) ?? toUserContent(attachment === undefined ? content : asObject(attachment)['prompt'])
  );
}

/** The message that represents an attachment, with the tags of its words. */
export function buildTaggedMessage({ renderedRole: _role, ...record }: JsonObject): JsonObject {
  return buildAttachmentMessage(record);
}

/** The words of an attachment as they follow the text of a result, if they are recorded. */
export function readWordsAfterResult({ rendered }: JsonObject): string | null {
  return Array.isArray(rendered)
    ? listObjects(rendered)
        .map(({ content }) => `\n\n${joinTextBlocks(content).trimEnd()}`)
        .join('')
    : null;
}

/** Reminders of the role system are sent without their tags. */
function wordsOf({ content }: JsonObject, role: unknown): string {
  const text = joinTextBlocks(content);
  return role === 'system' ? (REMINDER.exec(text)?.[1] ?? text) : text;
}

const REMINDER = /^<system-reminder>\n([^]*)\n<\/system-reminder>\n?$/;

const TEXT_FIELDS = ['text', 'content', 'context', 'prompt'];
/** The lists of an attachment that tells a change. Lines that were added repeat their names, which are not sent again. */
const CHANGE_FIELDS = ['addedLines', 'addedBlocks', 'removedNames', 'removedTypes'];

/** The type of an attachment with the system prompt and the tools. */
const SNAPSHOT = 'prompt_snapshot';

/** The ops of a prompt snapshot: its system prompt and its tools, each if it is recorded. */
export function buildSnapshotOps({ attachment }: JsonObject): readonly JsonObject[] {
  const { systemPrompt, cliPrefix, tools } = asObject(attachment);
  // The client begins the prompt with a sentence about itself.
  return promptOps([cliPrefix, systemPrompt].flat(), tools);
}

/** The ops of the prompt and the tools that a request was sent with. */
export function buildShapeOps({ shape }: JsonObject): readonly JsonObject[] {
  const { system, tools } = asObject(shape);
  return promptOps(typeof system === 'string' ? [system] : listObjects(system).map(({ text }) => text), tools);
}

function promptOps(texts: readonly unknown[], tools: unknown): readonly JsonObject[] {
  const parts = texts.filter((text) => typeof text === 'string').map((text, at) => ({ name: `part-${at + 1}`, text }));
  return [
    ...(parts.length > 0 ? [buildOp('system_parts_replace', { parts })] : []),
    ...(Array.isArray(tools) ? [buildOp('tools_replace', { tools: listObjects(tools).map(toolOf) })] : []),
  ];
}

function toolOf(tool: JsonObject): JsonObject {
  const { name, description, schema, input_schema: inputSchema } = tool;
  return {
    name: asString(name) ?? '',
    description: asString(description) ?? '',
    parameters: isObject(schema) ? schema : asObject(inputSchema),
  };
}

/** An op of a transform that represents a record of the file. */
export function buildOp(name: string, fields: JsonObject): JsonObject {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason: 'recorded by Claude Code' };
}
