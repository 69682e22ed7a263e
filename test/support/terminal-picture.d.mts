import type { IBuffer } from '@xterm/headless';

/** Cells of a line that look alike. */
interface Run {
  readonly look: string;
  readonly at: number;
  readonly text: string;
}
interface Theme {
  readonly back: string;
  readonly text: string;
  readonly faint: string;
  readonly colours: readonly string[];
}

export const THEMES: Readonly<Record<'light' | 'dark', Theme>>;
export function linesOf(buffer: IBuffer, from: number, to: number): readonly (readonly Run[])[];
export function svgOf(
  screen: { readonly lines: readonly (readonly Run[])[]; readonly columns: number },
  theme: Theme,
): string;
