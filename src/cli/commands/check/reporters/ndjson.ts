import type { CheckFileLine, CheckFindingLine } from '#cli/schemas.js';
import { jsonLine } from '#ui/doc/json.js';
import { type Reporter, shownOf } from './define.js';
import { fileFacts } from './json.js';

export default {
  name: 'ndjson',
  summary: 'a line of JSON for each finding, and one for each file after its findings',
  mildest: 'note',
  async *report(run) {
    for await (const batch of run.files) {
      for (const file of batch) {
        const findings = shownOf(file, run).map((finding): CheckFindingLine => ({
          schema: 'ctx/check-finding',
          schemaVersion: 1,
          file: file.file,
          ...finding,
        }));
        const end: CheckFileLine = { schema: 'ctx/check-file', schemaVersion: 1, ...fileFacts(file) };
        yield [...findings, end].map(jsonLine).join('');
      }
    }
  },
} satisfies Reporter;
