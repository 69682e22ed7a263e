import { serializeConversation } from '../serialize.js';
import type { SummaryTask } from './define.js';
import { fileLists } from './file-lists.js';
import { PREFIX_PROMPT, SUMMARY_PROMPT, UPDATE_PROMPT } from './prompts-of-pi.js';

export { SYSTEM_PROMPT } from './prompts-of-pi.js';

/** What a model is asked for a summary, as Pi asks it; null for a part that nothing has to be asked for. */
export interface Prompts {
  readonly history: string | null;
  readonly prefix: string | null;
}

export function promptsFor({ messages, turnPrefix, previousSummary, instructions }: SummaryTask): Prompts {
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
export function joined(
  { previousSummary, files }: SummaryTask,
  { history, prefix }: { readonly history: string | null; readonly prefix: string | null },
): string {
  const before = history ?? previousSummary ?? 'No prior history.';
  const both = prefix === null ? before : `${before}\n\n---\n\n**Turn Context (split turn):**\n\n${prefix}`;
  return both + fileLists(files);
}
