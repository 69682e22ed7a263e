/** What tells a terminal to copy a text (OSC 52); tmux and ssh hand it on. */
export function clipboardText(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
}

/** Terminals that are known not to, and would show what they do not know. */
export function takesCopies({ TERM = '' }: Readonly<Record<string, string | undefined>>): boolean {
  return TERM !== '' && TERM !== 'dumb' && TERM !== 'linux';
}
