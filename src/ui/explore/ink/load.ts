import type * as Show from './show.js';

/** Ink and React are loaded only by who shows something with them. */
export async function load(): Promise<typeof Show> {
  return import('./show.js');
}
