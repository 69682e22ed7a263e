import { isObject, type JsonObject } from '#base/json.js';
import type { Secret } from './define.js';
import { findSecrets } from './find-secrets.js';
import { isSecretName } from './patterns/assigned-secrets.js';

/** A secret, with its text in the entry. */
export interface PlacedSecret extends Secret {
  /** `message.content[0].text` */
  readonly place: string;
  readonly text: string;
}

/** The secrets in all texts of an entry and in the keys of its objects, as stored. Images are not searched. */
export function findEntrySecrets(entry: JsonObject): readonly PlacedSecret[] {
  const found: PlacedSecret[] = [];
  for (const { text, parent, key, isKey } of listTexts(entry)) {
    const secrets = isKey ? findSecrets(text) : findValueSecrets(key, text);
    for (const secret of secrets) found.push({ ...secret, text, place: buildPlace(parent, key) });
  }
  return found;
}

/** An object or a list of an entry, with its position. The path is built only for a result. */
interface Container {
  readonly value: object;
  readonly parent: Container | null;
  readonly key: string | number;
}

interface Text {
  readonly text: string;
  readonly parent: Container;
  readonly key: string | number;
  /** Whether it is a key of the object there. The path would reveal it. */
  readonly isKey: boolean;
}

/** Lists the texts of an entry. It does not recurse, since JSON may be nested deeper than the call stack. */
function* listTexts(entry: JsonObject): Generator<Text> {
  const open: (Container | Text)[] = [{ value: entry, parent: null, key: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    if ('text' in next) {
      yield next;
      continue;
    }
    const items = listItems(next);
    for (let at = items.length - 1; at >= 0; at -= 1) {
      const item = items[at];
      if (item) open.push(item);
    }
  }
}

function listItems(parent: Container): (Container | Text)[] {
  const { value } = parent;
  const items: (Container | Text)[] = [];
  const isImage = isObject(value) && value.type === 'image';
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    const key = Array.isArray(value) ? Number(name) : name;
    if (key === name && parent.parent) items.push({ text: name, parent: parent.parent, key: parent.key, isKey: true });
    if (typeof item === 'string' && !(isImage && name === 'data'))
      items.push({ text: item, parent, key, isKey: false });
    else if (typeof item === 'object' && item !== null) items.push({ value: item, parent, key });
  }
  return items;
}

function buildPlace(parent: Container, key: string | number): string {
  const steps = [key];
  for (let at = parent; at.parent; at = at.parent) steps.push(at.key);
  return formatTextPath(steps.toReversed().map((step) => (typeof step === 'number' ? step : maskKey(step))));
}

/** A key in which the secrets are masked. */
function maskKey(key: string): string {
  return findSecrets(key).reduceRight(
    (text, { start, end }) => text.slice(0, start) + maskSecret(text.slice(start, end)) + text.slice(end),
    key,
  );
}

/** Enough of a secret to recognise it, and never more than a quarter: `sk-a… (108 characters)`. */
export function maskSecret(secret: string): string {
  // A line break or half a character would not be recognisable.
  const [beginning = ''] = /^[!-~]*/.exec(secret.slice(0, Math.min(MOST, secret.length / SHARE))) ?? [];
  return `${beginning}… (${secret.length} character${secret.length === 1 ? '' : 's'})`;
}

const MOST = 4;
const SHARE = 4;

/** The path of a text in JavaScript notation: `message.content[0].text`. */
export function formatTextPath(steps: readonly (string | number)[]): string {
  return steps.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: string | number): string {
  const isName = typeof step === 'string' && NAME.test(step);
  return isName ? `.${step}` : `[${JSON.stringify(step)}]`;
}

const NAME = /^[A-Za-z_$][\w$]*$/;

/** A text that is the value of a key, in the form of an assignment in a text. */
interface NamedValue {
  readonly text: string;
  /** The secrets in that text that are the whole value. */
  wholeOf(found: readonly Secret[]): readonly Secret[];
}

const LONGEST_VALUE = 400;

/** null if the key is not the name of a secret. */
function readNamedValue(key: string | number, value: string): NamedValue | null {
  if (typeof key !== 'string' || value.length > LONGEST_VALUE || !isSecretName(key)) return null;
  const start = key.length + 2;
  return {
    text: `${key}="${value}"`,
    wholeOf: (found) =>
      found
        .filter((secret) => secret.start === start && secret.end === start + value.length)
        .map((secret) => ({ ...secret, start: 0, end: value.length })),
  };
}

export function findValueSecrets(key: string | number, value: string): readonly Secret[] {
  const found = findSecrets(value);
  if (found.length > 0) return found;
  const assignment = readNamedValue(key, value);
  return assignment ? assignment.wholeOf(findSecrets(assignment.text)) : found;
}
