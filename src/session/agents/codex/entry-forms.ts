/** The type and the role of an entry of each form. */
export const ENTRY_FORMS = {
  declared: { type: 'context_transform', role: null },
  model: { type: 'model_change', role: null },
  effort: { type: 'thinking_level_change', role: null },
  answer: { type: 'message', role: 'assistant' },
  interrupted: { type: 'message', role: 'assistant' },
  result: { type: 'message', role: 'toolResult' },
  aborted: { type: 'message', role: 'toolResult' },
  orphan: { type: 'custom', role: null },
  user: { type: 'message', role: 'user' },
  added: { type: 'custom_message', role: null },
  sent: { type: 'custom_message', role: null },
  usage: { type: 'usage', role: null },
  derived: { type: 'usage', role: null },
  replaced: { type: 'context_transform', role: null },
  summarised: { type: 'context_transform', role: null },
  name: { type: 'session_info', role: null },
} as const;

/** The meaning of an entry, which decides how it is built. */
export type CodexEntryForm = keyof typeof ENTRY_FORMS;
