/**
 * The reason why a value is not JSON: `patch[0].messages is a Map`. null if it is.
 * Members that are undefined are omitted when it is written, as intended.
 */
export function findNonJson(value: unknown, name: string): string | null {
  const above = new Set<object>();
  const steps: Step[] = [{ value, place: name }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ('leave' in step) {
      above.delete(step.leave);
      continue;
    }
    const why = findValueFault(step.value);
    if (why !== null) return `${step.place} ${why}`;
    if (typeof step.value !== 'object' || step.value === null) continue;
    if (above.has(step.value)) return `${step.place} contains itself`;
    above.add(step.value);
    steps.push({ leave: step.value });
    for (const inner of listMembers(step.value, step.place)) steps.push(inner);
  }
  return null;
}

interface Visit {
  readonly value: unknown;
  readonly place: string;
}

/** A value to check, or the end of a value whose members were checked. */
type Step = Visit | { readonly leave: object };

function findValueFault(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `is ${value}, which is not a JSON number`;
    case 'object':
      return value === null ? null : findObjectFault(value);
    default:
      return typeof value === 'undefined' ? 'is undefined' : `is a ${typeof value}, which is not JSON`;
  }
}

function findObjectFault(value: object): string | null {
  if (Array.isArray(value)) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Plain objects of another realm are plain as well.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain) return `is a ${value.constructor?.name || 'class'}, which is not JSON`;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return 'serialises itself (toJSON)';
  return Object.getOwnPropertySymbols(value).length > 0 ? 'has a symbol as a key' : null;
}

/** Pushes from last to first, so that the first is checked first. */
function* listMembers(value: object, place: string): Generator<Visit> {
  if (Array.isArray(value)) {
    for (let at = value.length - 1; at >= 0; at -= 1) yield { value: value[at], place: `${place}[${at}]` };
    return;
  }
  for (const [key, inner] of Object.entries(value).toReversed()) {
    if (inner !== undefined)
      yield { value: inner, place: PLAIN.test(key) ? `${place}.${key}` : `${place}[${JSON.stringify(key)}]` };
  }
}

const PLAIN = /^[A-Za-z_$][\w$]*$/;
