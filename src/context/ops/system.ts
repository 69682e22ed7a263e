import * as z from 'zod/mini';
import { foreignPart } from '../replay/content.js';
import { readPart, setPart, withParts } from '../replay/system.js';
import { defineOp } from './define.js';

export const systemPartSet = defineOp({
  name: 'system_part_set',
  scope: 'cached',
  region: 'system',
  summary: 'Replace a system part in place by name, or append it',
  fields: { partName: z.string(), text: z.string() },
  apply(envelope, { partName, text }) {
    const { parts } = envelope.system;
    return withParts(envelope, setPart(parts, { name: partName, text }));
  },
  example: { partName: 'policy', text: '\n\n# Policy\n\nNever print secrets.' },
});

export const systemPartRemove = defineOp({
  name: 'system_part_remove',
  scope: 'cached',
  region: 'system',
  summary: 'Remove a system part by name',
  fields: { partName: z.string() },
  apply: (envelope, { partName }) =>
    withParts(
      envelope,
      envelope.system.parts.filter(({ name }) => name !== partName),
    ),
  example: { partName: 'policy' },
});

export const systemPartsReplace = defineOp({
  name: 'system_parts_replace',
  scope: 'cached',
  region: 'system',
  replacesRegion: true,
  summary: 'Replace all system parts',
  fields: { parts: z.array(foreignPart) },
  apply: (envelope, { parts }) => withParts(envelope, parts.map(readPart)),
  example: { parts: [{ name: 'base', text: 'You are a careful assistant.' }] },
});
