import { LineShapes } from '#session/find/line-shape.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/**
 * Entries that need not be looked at by rules that depend on nothing but the shape of an entry: those whose lines are
 * shaped like one in which nothing was found. A session has few shapes, so hardly any line has to be parsed.
 */
export class SoundShapes {
  private readonly sound = new Set<number>();
  private readonly shapes: LineShapes | null;

  constructor(private readonly session: Session) {
    // What migration makes of an entry may depend on others.
    const isReadAsItIs = !session.isDoubted && session.header.version >= 3;
    this.shapes = isReadAsItIs ? new LineShapes(BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER))) : null;
  }

  /** The shape of an entry; 0 where it cannot be told. */
  shapeOf(head: Head): number {
    // A patch holds numbers and reasons that have to be read.
    if (this.shapes === null || head.type === 'context_transform') return 0;
    return this.shapes.shapeOf(this.session.bytes(head), head.length);
  }

  has(shape: number): boolean {
    return this.sound.has(shape);
  }

  /** Nothing was found in an entry of this shape. */
  add(shape: number): void {
    if (shape !== 0) this.sound.add(shape);
  }
}
