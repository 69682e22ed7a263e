/** A UUID of version 4, from four ids of eight hex digits. */
export function buildUuid(newId: () => string): string {
  const digits = Array.from({ length: 4 }, newId)
    .map((id) =>
      id
        .replaceAll(/[^0-9a-f]/g, '0')
        .padStart(8, '0')
        .slice(-8),
    )
    .join('');
  // Of the 32 digits, one is the version, and one the variant of RFC 9562.
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join('-');
}
