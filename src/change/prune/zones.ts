/** How full a context is, from room enough to no room. */
export const ZONES = ['green', 'yellow', 'red', 'compact'] as const;

export type Zone = (typeof ZONES)[number];

/** The shares of the limit at which zones begin. */
export type Thresholds = Readonly<Record<Exclude<Zone, 'green'>, number>>;

/** The zone of so many tokens. Where several begin at one number, it is the worst of them. */
export function zoneOf(tokens: number, limit: number, thresholds: Thresholds): Zone {
  return ZONES.findLast((zone) => tokens >= beginOf(zone, limit, thresholds)) ?? 'green';
}

/** The number of tokens at which a zone begins. */
export function beginOf(zone: Zone, limit: number, thresholds: Thresholds): number {
  return zone === 'green' ? 0 : Math.round(limit * thresholds[zone]);
}

/** Whether one zone is fuller than another. */
export function isWorse(zone: Zone, than: Zone): boolean {
  return ZONES.indexOf(zone) > ZONES.indexOf(than);
}
