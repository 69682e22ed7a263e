import type { Io } from '#platform/io.js';
import type { Output } from '#platform/terminal/output.js';
import { loadColourStyle, plainStyle, type Style, type Theme } from '#ui/doc/style.js';

/** The values of `--color`. */
export const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;

/** Whether output has colours; auto: the terminal and the environment decide. */
export type Colour = (typeof COLOUR_CHOICES)[number];

/** Colours for an output, or none. */
export async function chooseStyle(io: Io, output: Output, colour: Colour = 'auto', theme?: Theme): Promise<Style> {
  return hasColours(io, output, colour) ? loadColourStyle(theme) : plainStyle;
}

/**
 * Whether an output gets colours. A flag decides before FORCE_COLOR, NO_COLOR, CLICOLOR_FORCE and the terminal, in this
 * order.
 */
export function hasColours({ env }: Pick<Io, 'env'>, output: Pick<Output, 'isTerminal'>, colour: Colour): boolean {
  if (colour !== 'auto') return colour === 'always';
  const { FORCE_COLOR: forced, NO_COLOR: none = '', CLICOLOR_FORCE: isForced = '0' } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (none !== '') return false;
  if (isForced !== '0' && isForced !== '') return true;
  return output.isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0';
}
