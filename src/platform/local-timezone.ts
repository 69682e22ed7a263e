/**
 * The time zone of this machine, by its name in the IANA database. UTC is recognised by its offsets, since the names of
 * zones take time to load.
 */
export function readLocalTimezone(): string {
  const year = new Date().getFullYear();
  const offsets = [0, 3, 6, 9].map((month) => new Date(year, month, 1).getTimezoneOffset());
  return offsets.every((minutes) => minutes === 0) ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
