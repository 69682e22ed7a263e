import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';
import { bytesOf, inBytes, SIZE } from './sizes.js';

const SIZE_SAID = 'must be a number of bytes, or a size such as "50MB" or "10MiB"';

const options = z.strictObject({
  max: z
    .union([z.int().check(z.positive()), z.string().check(z.regex(SIZE, SIZE_SAID))], SIZE_SAID)
    .check(z.describe('The maximum size: bytes, or `"50MB"`, `"10MiB"`.')),
});

export default defineRule({
  name: 'max-file-size',
  group: 'policy',
  severity: null,
  summary: 'The file is larger than allowed',
  help:
    'Pi reads the whole file when it opens a session, and keeps it in memory. A compaction makes the context ' +
    'smaller and the file larger, since nothing is ever removed from it. To continue with a small file, start a new ' +
    'session.',
  options,
  example: {
    fires: [HEADER, ...ANSWERED, NEXT],
    silent: [HEADER, ...ANSWERED],
    options: { max: '0.75kB' },
  },
  looksAt: 'session',
  *find({ scan: { size } }, { max }): Generator<Hit> {
    const allowed = bytesOf(max);
    if (size > allowed) yield { message: `the file has ${inBytes(size)}, more than the ${inBytes(allowed)} allowed` };
  },
});
