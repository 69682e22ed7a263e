import { Writable } from 'node:stream';
import { ESC, type Terminal } from './terminal.js';

/** Synchronized update: the terminal shows the output between the two at once. Others ignore it. */
const BEGIN = `${ESC}?2026h`;

const END = `${ESC}?2026l`;

/** A stream of whole screens, which are painted over each other: the terminal receives only the lines that changed. */
export class FrameStream extends Writable {
  private before: readonly string[] = [];

  constructor(private readonly target: Pick<Terminal, 'columns' | 'rows' | 'write'>) {
    super({
      decodeStrings: false,
      write: (frame: string, _encoding, done) => {
        if (frame !== '') this.paint(frame);
        done();
      },
    });
  }

  get columns(): number {
    return this.target.columns;
  }

  get rows(): number {
    return this.target.rows;
  }

  /** Clears the screen, so that the next frame is painted whole. */
  clear(): void {
    this.before = [];
    this.target.write(`${ESC}0m${ESC}2J`);
  }

  private paint(frame: string): void {
    const lines = frame.split('\n');
    const changed = lines.flatMap((line, at) =>
      line === this.before[at] ? [] : [`${ESC}${at + 1};1H${ESC}0m${ESC}K${line}`],
    );
    const isShorter = lines.length < this.before.length;
    this.before = lines;
    if (changed.length === 0 && !isShorter) return;
    this.target.write(`${BEGIN}${changed.join('')}${isShorter ? `${ESC}${lines.length + 1};1H${ESC}J` : ''}${END}`);
  }
}
