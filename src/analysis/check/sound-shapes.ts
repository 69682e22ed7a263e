import type { Session } from '#session/session.js';
import type { ActiveRule } from './active-rules.js';
import type { RuleLookingAt } from './define.js';

export type ShapeRule = ActiveRule<RuleLookingAt<'shape'>>;

/**
 * Entries that the shape rules can skip: their lines have the shape of an entry without findings. All sessions have few
 * shapes, so few lines need to be parsed.
 */
export class SoundShapes {
  private readonly sound = new Set<number>();

  constructor(readonly rules: readonly ShapeRule[]) {}

  has(shape: number): boolean {
    return this.sound.has(shape);
  }

  add(shape: number): void {
    if (shape !== 0 && this.sound.size < MOST_SHAPES) this.sound.add(shape);
  }
}

/** Limits the memory for sessions with arbitrary keys. */
const MOST_SHAPES = 100_000;

/** The shape of an entry; 0 if it is unknown. */
export function readShape({ isStrict, header, tree: { heads } }: Session, index: number): number {
  // A migrated entry may depend on others, and the numbers and reasons of a patch have to be parsed.
  const isUnknown = isStrict || !(header.version >= 3) || heads.typeAt(index) === 'context_transform';
  return isUnknown ? 0 : heads.shapeAt(index);
}
