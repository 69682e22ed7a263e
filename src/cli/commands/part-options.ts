import * as z from 'zod/mini';
import { isObject, type JsonObject } from '#base/json.js';
import { type Doc, gap, heading } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';

/** An option of a rule or a strategy. */
export const partOption = z.object({
  name: z.string(),
  type: z.string(),
  default: z.unknown(),
  isRequired: z.boolean(),
  meaning: z.string(),
});

/** An option as the pages of rules and strategies describe it. */
export type PartOption = z.infer<typeof partOption>;

interface PartPage {
  readonly name: string;
  readonly summary: string;
  /** Markdown. */
  readonly help: string;
  readonly options: readonly PartOption[];
}

/** The beginning of the page of a rule or a strategy: the summary with a remark, the help and the options. */
export function renderPartPage({ name, summary, help, options }: PartPage, remark: string, view: View): Doc {
  return [
    heading(1, name),
    ...renderParagraphs(`${summary}.${remark}`, view),
    gap,
    ...renderParagraphs(help, view),
    ...renderPartOptions(options, view),
  ];
}

function renderPartOptions(options: readonly PartOption[], view: View): Doc {
  if (options.length === 0) return [];
  return [gap, heading(2, 'Options'), ...renderParagraphs(options.map(describeOption).join('\n'), view)];
}

function describeOption({ name, type, default: fallback, isRequired, meaning }: PartOption): string {
  const without = fallback === null ? '' : ` (default: ${JSON.stringify(fallback)})`;
  return `"${name}": ${type}${isRequired ? ' (required)' : without}. ${meaning}`;
}

/**
 * The options of a rule or strategy, read from its schema. This brings a big part of zod, so pages are loaded on
 * demand.
 */
export function listOptions({ options }: { readonly options?: z.ZodMiniType }): PartOption[] {
  if (!options) return [];
  const schema: JsonObject = z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' });
  const required: unknown = schema.required;
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, property]) => {
    const described = isObject(property) ? property : {};
    return {
      name,
      type: describeType(described),
      default: described.default ?? null,
      isRequired: Array.isArray(required) && required.includes(name),
      meaning: typeof described.description === 'string' ? described.description : '',
    };
  });
}

const TYPES: Readonly<Record<string, string>> = { integer: 'whole number', string: 'text', boolean: 'true or false' };

function describeType({ type, anyOf, items, enum: choices }: JsonObject): string {
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  if (Array.isArray(anyOf)) return anyOf.map((one) => (isObject(one) ? describeType(one) : 'anything')).join(' or ');
  if (type === 'array') return isObject(items) ? `list of ${describeType(items)}` : 'list';
  return typeof type === 'string' ? (TYPES[type] ?? type) : 'anything';
}
