import * as z from 'zod/mini';
import type { EnvelopeContent } from '../replay/content.js';

/** The region of the envelope that an op changes. */
type Region = 'system' | 'tools' | 'messages' | 'options';

/** A patch op: its fields, its effect, and an example for the laws. */
export interface OpDefinition<Fields extends z.core.$ZodShape = z.core.$ZodShape> {
  readonly name: string;
  /** `cached` ops change content that a provider caches, so they must give a reason; only they are stored. */
  readonly scope: 'cached' | 'uncached';
  readonly region: Region;
  /** true: the op replaces the whole region. */
  readonly replacesRegion?: true;
  /** true: messages that the op drops are compacted, and a message that it adds is their summary. */
  readonly compacts?: true;
  readonly summary: string;
  readonly fields: Fields;
  /** Returns the new content. Never changes its input. */
  apply(envelope: EnvelopeContent, op: z.infer<z.ZodMiniObject<Fields>>): EnvelopeContent;
  readonly example: z.input<z.ZodMiniObject<Fields>>;
}

/** An op with the schema of its whole JSON form. */
export interface Op extends OpDefinition {
  readonly schema: z.ZodMiniType;
}

export function defineOp<Fields extends z.core.$ZodShape>(definition: OpDefinition<Fields>): Op {
  const { name, scope, summary, fields } = definition;
  const reason = scope === 'cached' ? { invalidateCacheReason: z.string().check(z.regex(/\S/)) } : {};
  const schema = z.looseObject({ op: z.literal(name), scope: z.literal(scope), ...reason, ...fields });
  schema.register(z.globalRegistry, { title: name, description: summary });
  // Ops with different fields are in one list; `readPatch` passes each only what its own schema accepted.
  return { ...definition, schema };
}
