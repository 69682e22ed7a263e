import path from 'node:path';
import broken from '../../../../fixtures/hooks/broken.js';
import { READING } from '../../../security/every-command.js';
import { projectFolder } from '../../../support/files.js';
import { pluginsHere } from '../../../support/plugins.js';

const HOOK = path.join(projectFolder, 'fixtures/hooks/broken.ts');

/** Loads the hook of {@link listReadingLines} here: a process for each agent would prove nothing about the agent. */
export const startHookHere = pluginsHere({ [HOOK]: broken });

/** Words of the command lines in {@link READING} that are entries of its own sessions. */
const OWN =
  /isoDate|@\{compaction\}|HEAD~|^compact$|^revert$|^migrate$|^simulate$|^redact$|^prune$|^extract$|^convert$/;

/** Command lines that read one session, whatever it is. */
export function listReadingLines(file: string): readonly (readonly string[])[] {
  const lines = Object.entries(READING).flatMap(([command, runs]) =>
    runs.map((flags) => [...command.split(' '), file, ...flags]),
  );
  const general = lines.filter((words) => !words.some((word) => OWN.test(word)));
  const folder = file.replace(/\/[^/]*$/, '');
  return [
    ...general,
    ['ls', folder],
    ['show', file, '@{request:1}'],
    ['cat', file, '@{turn:1}'],
    ['diff', file, '@{request:1}..HEAD'],
    ['grep', '.', file, '--count', '--where', 'all'],
    ['grep', '.', file, '--where', 'all', '--json'],
    ['find', 'the', '--in', file],
    ['why', 'the', file],
    ['query', 'SELECT * FROM messages', file],
    ['report', file, '-o', '/out/report.html'],
    ['export', file, '-o', '/out/tables', '--format', 'parquet'],
    ['hooks', file, '--hook', HOOK, '--each-request'],
    ['revert', file, 'HEAD', '--dry-run'],
    ['prune', file, '--limit', '1k', '--dry-run'],
    ['compact', file, '--keep-recent', '10', '--dry-run'],
  ];
}
