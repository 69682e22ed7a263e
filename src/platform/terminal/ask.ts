import { createInterface } from 'node:readline';

/**
 * Asks for a line on the terminal of a process; null if its input, its output or its errors are redirected. The
 * terminal edits the line, so Ctrl-C interrupts as usual, and Ctrl-D returns an empty one.
 */
export async function askOnTerminal(run: NodeJS.Process, question: string): Promise<string | null> {
  const { stdin: input, stdout, stderr } = run;
  if (!input.isTTY || !stdout.isTTY || !stderr.isTTY) return null;
  stderr.write(question);
  for await (const line of createInterface({ input, terminal: false })) return line;
  stderr.write('\n');
  return '';
}
