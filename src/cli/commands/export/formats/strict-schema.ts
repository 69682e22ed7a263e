import { isObject, type JsonObject } from '#base/json.js';
import type { ToolDefinition } from '#context/replay/content.js';

/** A keyword of a schema that a provider does not take in its strict mode. */
export type RefusesKeyword = (keyword: string, value: unknown) => boolean;

/**
 * The parameters of a tool in the strict subset of JSON Schema, which lists every property as required and lets those that
 * were not be null. Returns null if the tool does not ask for it, or if its schema cannot be expressed so.
 */
export function toStrictSchema(tool: ToolDefinition, refuses: RefusesKeyword = () => false): JsonObject | null {
  const { constrainedSampling, parameters } = tool;
  if (!isObject(constrainedSampling) || constrainedSampling.type !== 'json_schema') return null;
  if (!isObject(parameters) || parameters.type !== 'object') return null;
  return closeSchema(parameters, refuses);
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

function closeSchema(schema: unknown, refuses: RefusesKeyword): JsonObject | null {
  if (!isObject(schema)) return null;
  if (Object.entries(schema).some(([key, value]) => (NEVER.has(key) && value !== undefined) || refuses(key, value)))
    return null;
  const { anyOf, items } = schema;
  if (schema.type === undefined && anyOf === undefined && schema.enum === undefined) return null;
  const strict: Record<string, unknown> = { ...schema };
  if (anyOf !== undefined) {
    const variants = Array.isArray(anyOf)
      ? anyOf.map((one) => (isStructured(one) ? null : closeSchema(one, refuses)))
      : [];
    if (variants.length === 0 || variants.includes(null)) return null;
    strict.anyOf = variants;
  }
  if (items !== undefined) {
    strict.items = closeSchema(items, refuses);
    if (strict.items === null) return null;
  }
  if (schema.type !== 'object') return schema.properties === undefined ? strict : null;
  const closed = closeObject(schema, refuses);
  return closed && { ...strict, ...closed };
}

/** An object with exactly its properties. */
function closeObject(
  { properties = {}, required = [], additionalProperties = false }: JsonObject,
  refuses: RefusesKeyword,
): JsonObject | null {
  if (additionalProperties !== false || !isObject(properties) || !Array.isArray(required)) return null;
  const names = Object.keys(properties);
  if (!required.every((name) => names.includes(name))) return null;
  const members: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const inner = closeSchema(property, refuses);
    if (inner === null) return null;
    members[name] = required.includes(name) || allowsNull(inner) ? inner : { anyOf: [inner, { type: 'null' }] };
  }
  return { properties: members, required: names, additionalProperties: false };
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

/** Whether Anthropic's strict mode rejects a keyword that other strict modes accept. */
export function isRefusedByAnthropic(keyword: string, value: unknown): boolean {
  if (keyword === 'minItems') return value !== 0 && value !== 1;
  if (keyword === 'format') return !FORMATS.has(value);
  return LIMITS.has(keyword);
}

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
const LIMITS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'maxItems',
  'uniqueItems',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
]);
