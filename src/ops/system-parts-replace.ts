import * as z from 'zod/mini';
import { systemPart } from '../context/content.js';
import { withParts } from '../context/system.js';
import { defineOp } from './define.js';

export default defineOp({
  name: 'system_parts_replace',
  scope: 'cached',
  region: 'system',
  replacesRegion: true,
  summary: 'Replace all system parts',
  fields: { parts: z.array(systemPart) },
  apply: (envelope, { parts }) => withParts(envelope, parts),
  example: { parts: [{ name: 'base', text: 'You are a careful assistant.' }] },
});
