import type { JsonObject } from '#base/json.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { definePatchRule } from './patch-rule.js';

export default definePatchRule({
  name: 'patch-schema-version',
  severity: 'error',
  summary: 'A transform has an unsupported schema version',
  help:
    'The `schemaVersion` of a `context_transform` defines the format of its operations; 1 is the only version. ' +
    'Replay stops here, so the session cannot be resumed with its context, and `ctx show` fails at every later ' +
    'entry.',
  example: {
    fires: [HEADER, ...ANSWERED, transformOfVersion(2)],
    silent: [HEADER, ...ANSWERED, transformOfVersion(1)],
  },
});

function transformOfVersion(schemaVersion: number): JsonObject {
  return entry('context_transform', 'x1', 'a1', { schemaVersion, transformerName: 'example', patch: [] });
}
