import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { brokenOps } from './broken-ops.js';

function transform(schemaVersion: number) {
  return entry('context_transform', 'x1', 'a1', { schemaVersion, transformerName: 'example', patch: [] });
}

export default defineRule({
  name: 'patch-schema-version',
  group: 'context',
  severity: 'error',
  summary: 'A transform is of a version that nobody can replay',
  help:
    'A `context_transform` says by `schemaVersion` how its operations are to be read, and 1 is the only one there is. ' +
    'Replay stops here, so the session cannot be resumed with its context, and `ctx show` fails at every later entry.',
  example: { fires: [HEADER, ...ANSWERED, transform(2)], silent: [HEADER, ...ANSWERED, transform(1)] },
  looksAt: 'path',
  watch: () => ({ step: (step) => brokenOps(step, 'schema-version') }),
});
