interface Text {
  readonly text: string;
  /** Where it stands: `parameters.properties.path.description`. */
  readonly place: string;
}

/** More texts than any declaration has. */
const MOST = 100_000;

/** Every text of a JSON value, with its place, however deep it is nested. */
export function* textsIn(value: unknown): Generator<Text> {
  const waiting: { readonly value: unknown; readonly place: string }[] = [{ value, place: '' }];
  for (let count = 0; waiting.length > 0 && count < MOST; count += 1) {
    const next = waiting.pop();
    if (!next) return;
    if (typeof next.value === 'string') yield { text: next.value, place: next.place };
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, field] of Object.entries(next.value).toReversed())
      waiting.push({ value: field, place: placeOf(next.place, key, isList) });
  }
}

/** Deeply nested rubbish would make places of any length. */
const LONGEST_PLACE = 200;

function placeOf(above: string, key: string, isList: boolean): string {
  if (above.length > LONGEST_PLACE) return above;
  const name = key.slice(0, LONGEST_PLACE);
  if (isList) return `${above}[${name}]`;
  return above === '' ? name : `${above}.${name}`;
}
