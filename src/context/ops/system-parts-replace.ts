import * as z from 'zod/mini';
import { foreignPart } from '../replay/content.js';
import { readPart, withParts } from '../replay/system.js';
import { defineOp } from './define.js';

export default defineOp({
  name: 'system_parts_replace',
  scope: 'cached',
  region: 'system',
  replacesRegion: true,
  summary: 'Replace all system parts',
  fields: { parts: z.array(foreignPart) },
  apply: (envelope, { parts }) => withParts(envelope, parts.map(readPart)),
  example: { parts: [{ name: 'base', text: 'You are a careful assistant.' }] },
});
