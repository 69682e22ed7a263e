import { isObject, type JsonObject } from '#base/json.js';
import type { ToolDefinition } from '#context/replay/content.js';

/** A keyword of a schema that a provider does not take in its strict mode. */
export type Refuses = (keyword: string, value: unknown) => boolean;

/**
 * The parameters of a tool in the strict subset of JSON Schema, which lists every property as required and lets those that
 * were not be null. Returns null if the tool does not ask for it, or if its schema cannot be expressed so.
 */
export function strictSchema(tool: ToolDefinition, refuses: Refuses = () => false): JsonObject | null {
  const { constrainedSampling, parameters } = tool;
  if (!isObject(constrainedSampling) || constrainedSampling['type'] !== 'json_schema') return null;
  if (!isObject(parameters) || parameters['type'] !== 'object') return null;
  return strict(parameters, refuses);
}

/** Keywords that no strict mode accepts. */
const NEVER: ReadonlySet<string> = new Set([
  '$ref',
  '$defs',
  'definitions',
  'allOf',
  'oneOf',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'propertyNames',
  'contains',
  'prefixItems',
  'not',
  'if',
  'then',
  'else',
]);

function strict(schema: unknown, refuses: Refuses): JsonObject | null {
  if (!isObject(schema)) return null;
  if (Object.entries(schema).some(([key, value]) => (NEVER.has(key) && value !== undefined) || refuses(key, value)))
    return null;
  const { anyOf, items } = schema;
  const made: Record<string, unknown> = { ...schema };
  if (anyOf !== undefined) {
    const variants = Array.isArray(anyOf) ? anyOf.map((one) => (isStructured(one) ? null : strict(one, refuses))) : [];
    if (variants.length === 0 || variants.includes(null)) return null;
    made['anyOf'] = variants;
  }
  if (items !== undefined) {
    made['items'] = strict(items, refuses);
    if (made['items'] === null) return null;
  }
  if (schema['type'] !== 'object') return schema['properties'] === undefined ? made : null;
  const closed = closedObject(schema, refuses);
  return closed && { ...made, ...closed };
}

/** An object with exactly its properties. */
function closedObject(
  { properties = {}, required = [], additionalProperties = false }: JsonObject,
  refuses: Refuses,
): JsonObject | null {
  if (additionalProperties !== false || !isObject(properties) || !Array.isArray(required)) return null;
  const names = Object.keys(properties);
  if (!required.every((name) => names.includes(name))) return null;
  const made: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const inner = strict(property, refuses);
    if (inner === null) return null;
    made[name] = required.includes(name) || allowsNull(inner) ? inner : { anyOf: [inner, { type: 'null' }] };
  }
  return { properties: made, required: names, additionalProperties: false };
}

function isStructured(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, properties, items } = schema;
  const types = new Set([type].flat());
  return types.has('object') || types.has('array') || properties !== undefined || items !== undefined;
}

function allowsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, const: only, enum: values, anyOf } = schema;
  return (
    [type].flat().includes('null') ||
    only === null ||
    (Array.isArray(values) && values.includes(null)) ||
    (Array.isArray(anyOf) && anyOf.some(allowsNull))
  );
}
