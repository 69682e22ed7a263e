import { asObject, asText, listObjects } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readContentText } from '../content-text.js';
import { formatFileLists } from '../file-ops.js';
import type { SummaryTask } from './define.js';

// Pi's prompts, verbatim: a summary made elsewhere should read like Pi's own.

/** The system prompt of every request. */
export const SYSTEM_PROMPT = `You are a context summarization assistant. Your task is to read a conversation between a user and an AI assistant, then produce a structured summary following the exact format specified.

Do NOT continue the conversation. Do NOT respond to any questions in the conversation. ONLY output the structured summary.`;

/** The prompt for messages without an earlier summary. */
export const SUMMARY_PROMPT = `The messages above are a conversation to summarize. Create a structured context checkpoint summary that another LLM will use to continue the work.

Use this EXACT format:

## Goal
[What is the user trying to accomplish? Can be multiple items if the session covers different tasks.]

## Constraints & Preferences
- [Any constraints, preferences, or requirements mentioned by user]
- [Or "(none)" if none were mentioned]

## Progress
### Done
- [x] [Completed tasks/changes]

### In Progress
- [ ] [Current work]

### Blocked
- [Issues preventing progress, if any]

## Key Decisions
- **[Decision]**: [Brief rationale]

## Next Steps
1. [Ordered list of what should happen next]

## Critical Context
- [Any data, examples, or references needed to continue]
- [Or "(none)" if not applicable]

Keep each section concise. Preserve exact file paths, function names, and error messages.`;

/** The prompt for messages that continue an earlier summary. */
export const UPDATE_PROMPT = `The messages above are NEW conversation messages to incorporate into the existing summary provided in <previous-summary> tags.

Update the existing structured summary with new information. RULES:
- PRESERVE all existing information from the previous summary
- ADD new progress, decisions, and context from the new messages
- UPDATE the Progress section: move items from "In Progress" to "Done" when completed
- UPDATE "Next Steps" based on what was accomplished
- PRESERVE exact file paths, function names, and error messages
- If something is no longer relevant, you may remove it

Use this EXACT format:

## Goal
[Preserve existing goals, add new ones if the task expanded]

## Constraints & Preferences
- [Preserve existing, add new ones discovered]

## Progress
### Done
- [x] [Include previously done items AND newly completed items]

### In Progress
- [ ] [Current work - update based on progress]

### Blocked
- [Current blockers - remove if resolved]

## Key Decisions
- **[Decision]**: [Brief rationale] (preserve all previous, add new)

## Next Steps
1. [Update based on current state]

## Critical Context
- [Preserve important context, add new if needed]

Keep each section concise. Preserve exact file paths, function names, and error messages.`;

/** The prompt for the beginning of a split turn. */
export const PREFIX_PROMPT = `The messages above are earlier context from an ongoing conversation. Later messages are stored separately and do not need to be reconstructed.

Create a concise checkpoint of the user's request and the progress shown above. This checkpoint will be placed before the later messages so the conversation can continue with the necessary context.

## Original Request
[What did the user ask for?]

## Progress So Far
- [Key decisions and work completed in these messages]

## Context Needed to Continue
- [Information from these messages needed to understand the later work]

Only summarize information explicitly present above. Do not infer or recreate later messages.`;

/** The prompts for a summary, as Pi writes them; null for a part that needs no request. */
export interface SummaryPrompts {
  readonly history: string | null;
  readonly prefix: string | null;
}

export function buildPrompts({ messages, turnPrefix, previousSummary, instructions }: SummaryTask): SummaryPrompts {
  const focus = instructions ? `\n\nAdditional focus: ${instructions}` : '';
  const isSplit = turnPrefix.length > 0;
  const previous = previousSummary ? `<previous-summary>\n${previousSummary}\n</previous-summary>\n\n` : '';
  return {
    history:
      isSplit && messages.length === 0
        ? null
        : `<conversation>\n${serializeConversation(messages)}\n</conversation>\n\n${previous}${previousSummary ? UPDATE_PROMPT : SUMMARY_PROMPT}${focus}`,
    prefix: isSplit
      ? `# Conversation\n${serializeConversation(turnPrefix)}\n\n# Instructions\n${PREFIX_PROMPT}${focus}`
      : null,
  };
}

/** The summary that the answers make, with the lists of files, as Pi puts it together. */
export function joinSummary(
  { previousSummary, files }: SummaryTask,
  { history, prefix }: { readonly history: string | null; readonly prefix: string | null },
): string {
  const before = history ?? previousSummary ?? 'No prior history.';
  const both = prefix === null ? before : `${before}\n\n---\n\n**Turn Context (split turn):**\n\n${prefix}`;
  return both + formatFileLists(files);
}

/** A conversation as text, so that a model summarises it and does not go on with it. Pi's `serializeConversation`. */
export function serializeConversation(messages: readonly LlmMessage[]): string {
  return messages.flatMap(formatMessage).join('\n\n');
}

function formatMessage({ role, content }: LlmMessage): readonly string[] {
  switch (role) {
    case 'user': {
      const text = readContentText(content, '');
      return text === '' ? [] : [`[User]: ${text}`];
    }
    case 'assistant':
      return [...formatText(content), ...formatCalls(content)];
    case 'toolResult': {
      const text = readContentText(content, '');
      return text === '' ? [] : [`[Tool result]: ${shortenResult(text)}`];
    }
  }
}

function formatText(content: unknown): readonly string[] {
  return listObjects(content).some(({ type }) => type === 'text') ? [`[Assistant]: ${readContentText(content)}`] : [];
}

function formatCalls(content: unknown): readonly string[] {
  const calls = listObjects(content).filter(({ type }) => type === 'toolCall');
  if (calls.length === 0) return [];
  const texts = calls.map(({ name, arguments: args }) => {
    const fields = Object.entries(asObject(args));
    return `${asText(name)}(${fields.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(', ')})`;
  });
  return [`[Assistant tool calls]: ${texts.join('; ')}`];
}

const LONGEST_RESULT = 2000;

/** Never cuts a surrogate pair; the number is Pi's, which does not count that. */
function shortenResult(text: string): string {
  if (text.length <= LONGEST_RESULT) return text;
  const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(LONGEST_RESULT - 1, LONGEST_RESULT + 1));
  const head = text.slice(0, isPair ? LONGEST_RESULT - 1 : LONGEST_RESULT);
  return `${head}\n\n[... ${text.length - LONGEST_RESULT} more characters truncated]`;
}
