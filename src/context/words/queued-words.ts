/**
 * The words that a user typed while the agent of Claude Code worked, in the reminder with which the client sends them. A
 * paragraph of the client may follow them.
 */
const REMINDER =
  /<system-reminder>\s*The user sent (?:a new message while you were working|the following message):\n((?:(?!<\/?system-reminder>)[^])*)<\/system-reminder>/g;
const OF_CLIENT = /^(?:This is how Claude Code|IMPORTANT:)/;

/** A text in which such reminders are only the words of the user. */
export function withQueuedWords(text: string): string {
  return text.includes('<system-reminder>') ? text.replaceAll(REMINDER, (_, words: string) => ofUser(words)) : text;
}

function ofUser(words: string): string {
  const end = words.lastIndexOf('\n\n');
  return end !== -1 && OF_CLIENT.test(words.slice(end).trimStart()) ? words.slice(0, end) : words.trimEnd();
}
