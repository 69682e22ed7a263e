import type { CheckConfig } from '#cli/config/report-schemas.js';
import { type CheckFlags, settingsFor } from '#cli/config/settings-for.js';
import type { Io } from '#platform/io.js';
import { verbatim } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';

/** What the configuration and the flags come to, with every rule there is. */
export async function printedConfig(io: Io, flags: CheckFlags): Promise<Outcome> {
  const { file, files, requests, limit, contextBaseline, baseline, maxWarnings, rules } = await settingsFor(
    io,
    flags,
    'all rules',
  );
  const data: CheckConfig = {
    schema: 'ctx/check-config',
    schemaVersion: 1,
    file,
    files: { ...files, value: [...files.value] },
    requests,
    limit,
    contextBaseline,
    baseline,
    maxWarnings,
    rules: [...rules],
  };
  const text = JSON.stringify(data, null, 2);
  return {
    kind: 'report',
    report: { data, doc: ({ format }) => [format === 'text' ? { kind: 'whole', text } : verbatim(text, 'json')] },
    problems: [],
  };
}
