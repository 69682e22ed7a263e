import type { Zone } from '#change/prune/zones.js';
import type { Tone } from '../doc/tone.js';

/** The tones of the zones of a policy. */
export const ZONE_TONES: Readonly<Record<Zone, Tone>> = {
  green: 'good',
  yellow: 'warning',
  red: 'error',
  compact: 'error',
};
