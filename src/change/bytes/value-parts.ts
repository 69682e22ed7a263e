/** What JSON may go on with. */
export type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'next';

/** An object or list that is being read. */
export interface Place {
  readonly isList: boolean;
  key: string | null;
  keyStart: number;
  start: number;
  end: number;
}

/** `half`: the other half of the character has to follow. `none`: it is cut off, or broken in two and no escape. */
export interface Escape {
  readonly next: number;
  readonly kind: 'whole' | 'half' | 'none';
}
