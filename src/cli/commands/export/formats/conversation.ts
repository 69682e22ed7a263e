import type { Doc } from '#ui/doc/doc.js';
import type { SessionFormat, SessionToExport } from './define.js';

/** Information that every conversation omits. */
const LEFT_OUT: readonly string[] = [
  'Thinking, what the agent added to the input, and changes of settings: --full has them.',
  'Images: only named.',
  'System prompts and transforms: only named; ctx show --full prints them.',
  'Other branches: only named; a revision selects one, as in ctx export SESSION ID.',
];

/** Loaded only for these formats: the parser of Markdown is large. */
async function* write({ isFull, ...of }: SessionToExport, isDocument: boolean): AsyncGenerator<Doc | string> {
  const { writeConversation } = await import('../../conversation.js');
  yield* writeConversation({ ...of, isDocument, isOpen: true, hasHidden: isFull });
}

export const markdownConversation = {
  name: 'markdown',
  takes: 'session',
  summary: 'the conversation as a document to publish, with each call and its result folded',
  leavesOut: LEFT_OUT,
  write: (session) => write(session, true),
} satisfies SessionFormat;

export const textConversation = {
  name: 'text',
  takes: 'session',
  summary: 'the conversation as text, with calls and results in full',
  leavesOut: LEFT_OUT,
  write: (session) => write(session, false),
} satisfies SessionFormat;
