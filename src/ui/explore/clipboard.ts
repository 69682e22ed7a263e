/** The escape sequence that copies a text to the clipboard (OSC 52), which tmux and ssh pass on. */
export function formatClipboardCopy(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
}

/** Whether the terminal supports OSC 52. Some would print the sequence instead. */
export function hasClipboard({ TERM = '' }: Readonly<Record<string, string | undefined>>): boolean {
  return TERM !== '' && TERM !== 'dumb' && TERM !== 'linux';
}
