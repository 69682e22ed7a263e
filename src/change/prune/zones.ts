/** Levels of fill of a context, from low to full. */
export const ZONES = ['green', 'yellow', 'red', 'compact'] as const;

export type Zone = (typeof ZONES)[number];

/** The shares of the limit at which zones begin. */
type Thresholds = Readonly<Record<Exclude<Zone, 'green'>, number>>;

const [LOWEST_ZONE, ...HIGHER_ZONES] = ZONES;

/** The zone for a number of tokens. If several zones begin at the same number, the highest one. */
export function zoneOf(tokens: number, limit: number, thresholds: Thresholds): Zone {
  return HIGHER_ZONES.findLast((zone) => tokens >= findZoneStart(zone, limit, thresholds)) ?? LOWEST_ZONE;
}

export function findZoneStart(zone: Zone, limit: number, thresholds: Thresholds): number {
  return zone === 'green' ? 0 : Math.round(limit * thresholds[zone]);
}

/** Whether one zone is fuller than another. */
export function isFuller(zone: Zone, than: Zone): boolean {
  return ZONES.indexOf(zone) > ZONES.indexOf(than);
}
