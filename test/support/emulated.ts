import xterm from '@xterm/headless';

export interface Emulated {
  readonly text: string;
  /** Lines that the terminal broke, since they were longer than its width. */
  readonly overlong: readonly string[];
}

/** The output of a program as a terminal of some width shows it. */
export async function emulated(output: string, columns: number): Promise<Emulated> {
  const terminal = new xterm.Terminal({ cols: columns, scrollback: 100_000, convertEol: true, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    terminal.write(output, resolve);
  });
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)!);
  const text = lines.map((line) => line.translateToString(true).trimEnd()).join('\n');
  const overlong = lines.flatMap((line, at) =>
    line.isWrapped ? [`${lines[at - 1]?.translateToString(true) ?? ''}${line.translateToString(true)}`] : [],
  );
  terminal.dispose();
  return { text, overlong };
}
