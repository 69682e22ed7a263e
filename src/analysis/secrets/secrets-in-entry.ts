import { isObject, type JsonObject } from '#base/json.js';
import type { Secret } from './define.js';
import { findSecrets } from './find-secrets.js';
import { namedValue } from './named-value.js';
import { placeText } from './place-text.js';

/** A secret, and the text of the entry that it stands in. */
export interface PlacedSecret extends Secret {
  /** `message.content[0].text` */
  readonly place: string;
  readonly text: string;
}

/** The secrets in all texts of an entry and in the keys of its objects, as they are stored. Images are no text. */
export async function secretsInEntry(entry: JsonObject): Promise<readonly PlacedSecret[]> {
  const found: PlacedSecret[] = [];
  for (const { text, parent, key, isKey } of textsIn(entry)) {
    let secrets = await findSecrets(text);
    const named = secrets.length === 0 && !isKey ? namedValue(key, text) : null;
    if (named) secrets = named.wholeOf(await findSecrets(named.text));
    for (const secret of secrets) found.push({ ...secret, text, place: placeOf(parent, key) });
  }
  return found;
}

/** An object or a list of an entry, and where it stands. Nothing is written down until there is something to say. */
interface Container {
  readonly value: object;
  readonly parent: Container | null;
  readonly key: string | number;
}

interface Text {
  readonly text: string;
  readonly parent: Container;
  readonly key: string | number;
  /** It is a key of the object that stands there. To say which would show it. */
  readonly isKey: boolean;
}

/** Not recursive: JSON may be nested deeper than calls. */
function* textsIn(entry: JsonObject): Generator<Text> {
  const open: (Container | Text)[] = [{ value: entry, parent: null, key: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    if ('text' in next) {
      yield next;
      continue;
    }
    const items = itemsOf(next);
    for (let at = items.length - 1; at >= 0; at -= 1) {
      const item = items[at];
      if (item) open.push(item);
    }
  }
}

function itemsOf(parent: Container): (Container | Text)[] {
  const { value } = parent;
  const items: (Container | Text)[] = [];
  const isImage = isObject(value) && value['type'] === 'image';
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    const key = Array.isArray(value) ? Number(name) : name;
    if (key === name && parent.parent) items.push({ text: name, parent: parent.parent, key: parent.key, isKey: true });
    if (typeof item === 'string' && !(isImage && name === 'data'))
      items.push({ text: item, parent, key, isKey: false });
    else if (typeof item === 'object' && item !== null) items.push({ value: item, parent, key });
  }
  return items;
}

function placeOf(parent: Container, key: string | number): string {
  const steps = [key];
  for (let at = parent; at.parent; at = at.parent) steps.push(at.key);
  return placeText(steps.toReversed());
}
