/** What a terminal understands: see ECMA-48. */
const ESC = '\u001b[';
/** Terminals that know this show what stands between the two at once; others pass it over. */
const BEGIN = `${ESC}?2026h`;
const END = `${ESC}?2026l`;

/** Writes screens over one another, of each only the lines that differ from the one before. */
export class Painter {
  private before: readonly string[] = [];

  /** What to print so that the terminal shows these lines; nothing where it shows them. */
  paint(frame: string): string {
    const lines = frame.split('\n');
    const changed = lines.flatMap((line, at) =>
      line === this.before[at] ? [] : [`${ESC}${at + 1};1H${ESC}0m${ESC}K${line}`],
    );
    const isShorter = lines.length < this.before.length;
    this.before = lines;
    if (changed.length === 0 && !isShorter) return '';
    return `${BEGIN}${changed.join('')}${isShorter ? `${ESC}${lines.length + 1};1H${ESC}J` : ''}${END}`;
  }

  /** What the terminal shows is not known any more. */
  clear(): string {
    this.before = [];
    return `${ESC}0m${ESC}2J`;
  }
}
