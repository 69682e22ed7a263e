import * as z from 'zod/mini';
import { withParts } from '../replay/system.js';
import { defineOp } from './define.js';

export default defineOp({
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
