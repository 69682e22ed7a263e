import { memoize } from '#base/memoize.js';
import { isTruthy, VALUE_KIND, valueKindOf } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';
import { CLAUDE_FIELD, KNOWN_TEXT } from './fields.js';

/** The part of an attachment in a request: `queued` are words of the user. `null`: it was not sent. */
type AttachmentUse = 'snapshot' | 'attachment' | 'queued' | null;

/** The attachments of a file: what the client tells the model by itself, and what the user typed while it worked. */
export class Attachments {
  /** Versions that record the words of attachments. */
  private readonly versions = new Set<number>();
  private readonly useOfKind = memoize((kind: number): AttachmentUse => {
    const text = kind === 0 ? null : this.fields.text(kind);
    if (text === SNAPSHOT) return 'snapshot';
    return SENT.has(text) ? 'attachment' : null;
  });
  private readonly isSentEvent = memoize(
    (event: number): boolean => event !== 0 && SENT_EVENTS.has(this.fields.text(event)),
  );

  /** `lines`: the lines that may be one. */
  constructor(
    private readonly fields: LineFields,
    lines: readonly number[],
  ) {
    for (const line of lines) {
      if (this.isRendered(line)) this.versions.add(fields.textAt(line, CLAUDE_FIELD.version));
    }
  }

  /** Whether its words are recorded. */
  isRendered(line: number): boolean {
    return valueKindOf(this.fields.at(line, CLAUDE_FIELD.rendered)) === VALUE_KIND.list;
  }

  /** Whether any version that wrote the file records the words of attachments. */
  get areRendered(): boolean {
    return this.versions.size > 0;
  }

  useOf(line: number): AttachmentUse {
    if (this.isQueued(line)) return this.isEmpty(line) ? null : 'queued';
    if (this.isRendered(line)) return 'attachment';
    const use = this.useOfKind(this.fields.textAt(line, CLAUDE_FIELD.attachmentType));
    return use === 'attachment' && (this.isEmpty(line) || this.isPrintedAlone(line)) ? null : use;
  }

  /** Whether it has words that the user typed while the agent worked, not a notification of the client. */
  private isQueued(line: number): boolean {
    const { fields } = this;
    if (
      fields.textAt(line, CLAUDE_FIELD.attachmentType) !== KNOWN_TEXT.queuedCommand ||
      isTruthy(fields.at(line, CLAUDE_FIELD.isMetaWords))
    )
      return false;
    const mode = fields.textAt(line, CLAUDE_FIELD.commandMode);
    const from = fields.textAt(line, CLAUDE_FIELD.wordsOriginKind);
    const isOfUser = from === KNOWN_TEXT.human || !isTruthy(fields.at(line, CLAUDE_FIELD.wordsOrigin));
    return (mode === 0 || mode === KNOWN_TEXT.prompt) && isOfUser;
  }

  /**
   * Whether the client only prints the output of a hook. It sends that of the start of a session and of a submitted
   * prompt.
   */
  private isPrintedAlone(line: number): boolean {
    const { fields } = this;
    if (fields.textAt(line, CLAUDE_FIELD.attachmentType) !== KNOWN_TEXT.hookSuccess) return false;
    return (
      !isTruthy(fields.at(line, CLAUDE_FIELD.attachmentContent)) ||
      !this.isSentEvent(fields.textAt(line, CLAUDE_FIELD.hookEvent))
    );
  }

  /**
   * Whether an attachment has no words. A version that records words leaves them out then, as for a context without
   * files.
   */
  private isEmpty(line: number): boolean {
    const { fields } = this;
    if (this.isRendered(line)) return false;
    return (
      fields.textAt(line, CLAUDE_FIELD.renderedRole) === 0 &&
      this.versions.has(fields.textAt(line, CLAUDE_FIELD.version))
    );
  }

  /** Whether the file lacks words that were sent, or that may have been, since the kind is unknown. */
  isApproximate(line: number): boolean {
    const kind = this.fields.textAt(line, CLAUDE_FIELD.attachmentType);
    if (this.isRendered(line) || this.isEmpty(line) || kind === KNOWN_TEXT.resultsCut) return false;
    if (kind === KNOWN_TEXT.hookSuccess) return !this.isPrintedAlone(line);
    return this.useOfKind(kind) !== 'snapshot' && !(kind !== 0 && NEVER_SENT.has(this.fields.text(kind)));
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

/** The type of an attachment with the system prompt and the tools. */
const SNAPSHOT = 'prompt_snapshot';
