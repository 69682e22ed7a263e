import type * as z from 'zod/mini';
import { isObject, type JsonObject } from '#base/json.js';
import type { Option } from '#ui/doc/paragraphs.js';

/** The options of a rule or strategy, read from its schema. */
export async function optionsOf({ options }: { readonly options?: z.ZodMiniType }): Promise<Option[]> {
  if (!options) return [];
  const { jsonSchemaOf } = await import('./json-schema.js');
  const schema: JsonObject = jsonSchemaOf(options, { io: 'input', unrepresentable: 'any' });
  const required: unknown = schema['required'];
  return Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(([name, property]) => {
    const said = isObject(property) ? property : {};
    return {
      name,
      type: typeOf(said),
      default: said['default'] ?? null,
      isRequired: Array.isArray(required) && required.includes(name),
      meaning: typeof said['description'] === 'string' ? said['description'] : '',
    };
  });
}

const TYPES: Readonly<Record<string, string>> = { integer: 'whole number', string: 'text', boolean: 'true or false' };

function typeOf({ type, anyOf, items, enum: choices }: JsonObject): string {
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  if (Array.isArray(anyOf)) return anyOf.map((one) => (isObject(one) ? typeOf(one) : 'anything')).join(' or ');
  if (type === 'array') return isObject(items) ? `list of ${typeOf(items)}` : 'list';
  return typeof type === 'string' ? (TYPES[type] ?? type) : 'anything';
}
