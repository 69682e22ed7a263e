/** A text within a JSON value. */
interface PlacedText {
  readonly text: string;
  /** Its place, such as `parameters.properties.path.description`. */
  readonly place: string;
}

/** More values than any real declaration has. */
const MOST_VALUES = 100_000;

/** Lists every text of a JSON value with its place, at any depth and in their order. */
export function listPlacedTexts(value: unknown): readonly PlacedText[] {
  const texts: PlacedText[] = [];
  const waiting: { readonly value: unknown; readonly place: string }[] = [{ value, place: '' }];
  for (let count = 0; waiting.length > 0 && count < MOST_VALUES; count += 1) {
    const next = waiting.pop();
    if (!next) break;
    if (typeof next.value === 'string') texts.push({ text: next.value, place: next.place });
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, field] of Object.entries(next.value).toReversed()) {
      waiting.push({ value: field, place: joinPlace(next.place, key, isList) });
    }
  }
  return texts;
}

/** UTF-16 code units: the places of deeply nested values get no longer. */
const LONGEST_PLACE = 200;

function joinPlace(above: string, key: string, isList: boolean): string {
  if (above.length > LONGEST_PLACE) return above;
  const name = key.slice(0, LONGEST_PLACE);
  if (isList) return `${above}[${name}]`;
  return above === '' ? name : `${above}.${name}`;
}
