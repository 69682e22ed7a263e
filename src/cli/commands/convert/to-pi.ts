import path from 'node:path';
import { buildWarning, type Problem } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { formatTime, parseTimestamp } from '#base/time.js';
import { buildImportLines } from '#change/migrate/import-session.js';
import { StockEntryBuilder } from '#change/migrate/stock-entries.js';
import { formatResumeCommand } from '#change/plan/next-commands.js';
import type { Io } from '#platform/io.js';
import type { AgentOrigin } from '#session/agents/define.js';
import { noHomeError, sessionFileName, sessionsFolder, sessionsFolderName } from '#session/agents/pi-folders.js';
import type { Session } from '#session/session.js';
import { type Doc, fileHeading, line } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { renderOutput, renderResume } from '../new-session.js';
import { describeLoss } from './describe-loss.js';
import { describeOriginal, type ImportDocument } from './document.js';
import { type PlaceFlags, writeConverted } from './write-converted.js';

/** Writes the session of another agent as one of Pi, version 3, with every branch. */
export async function convertToPi(io: Io, flags: PlaceFlags, session: Session, agent: AgentOrigin): Promise<Outcome> {
  const { file, header } = session;
  const entries = new StockEntryBuilder(session);
  let newSize = 0;
  const countBytes = function* (): Generator<Uint8Array> {
    for (const bytes of buildImportLines(session, entries)) {
      newSize += bytes.length;
      yield bytes;
    }
  };
  const output = await writeConverted(io, flags, {
    bytes: countBytes(),
    from: file,
    installed: () => placeInPi(io, session),
  });
  const losses = entries.ignoredTransforms === 0 ? [] : [{ kind: 'prompt' as const, count: entries.ignoredTransforms }];
  const data: ImportDocument = {
    schema: 'ctx/import',
    schemaVersion: 1,
    ...describeOriginal(session),
    output,
    replacements: entries.replacements,
    addedEntries: entries.added,
    ignoredTransforms: entries.ignoredTransforms,
    movedResults: entries.results.moved,
    newSize,
    to: 'pi',
    newSession: {
      id: header.id,
      messages: null,
      tokensEstimated: null,
      isInstalled: output !== null && flags.install === true,
    },
    losses: losses.map((loss) => {
      return { ...loss, text: describeLoss(loss, { from: agent.title, to: 'Pi', tools: new Map() }) };
    }),
    resume: output === null || output === '-' ? null : formatResumeCommand(output),
  };
  const problems = [...session.problems, ...warnLateResults(entries.results.left)];
  const doc = (): Doc => renderImport(data, agent.title);
  return { kind: 'single', item: { data, doc }, problems, file, exitCode: data.lostLines > 0 ? 1 : 0 };
}

/** The place where Pi looks for a session of its working directory, or of the current one if it has none. */
function placeInPi(io: Io, { header }: Session): string {
  const folder = sessionsFolder(io);
  if (folder === null) throw noHomeError();
  const timestamp = formatTime(parseTimestamp(header.timestamp)) ?? formatTime(io.now()) ?? '';
  return path.join(folder, sessionsFolderName(header.cwd || io.cwd), sessionFileName(header.id, timestamp));
}

function warnLateResults(answers: number): readonly Problem[] {
  if (answers === 0) return [];
  const results = `the results of ${pluralize(answers, 'answer')} stay after a message, which providers refuse`;
  return [buildWarning('result-out-of-order', `${results}: ctx check lists them, ctx repair moves them`)];
}

function renderImport(data: ImportDocument, title: string): Doc {
  const { file, agentVersion, entries, unusedLines, lostLines, replacements, addedEntries, ignoredTransforms } = data;
  const histories = pluralize(replacements, 'replaced history', 'replaced histories');
  return [
    fileHeading(file),
    line(`${title}${agentVersion === null ? '' : ` ${agentVersion}`}: ${pluralize(entries, 'entry', 'entries')}`),
    ...(replacements > 0 ? [line(`${histories}: ${pluralize(addedEntries, 'entry', 'entries')} added for Pi`)] : []),
    ...(ignoredTransforms > 0
      ? [
          line(
            `Pi ignores ${pluralize(ignoredTransforms, 'transform')} with the recorded prompt or tools; ctx reads them`,
          ),
        ]
      : []),
    ...renderMoved(data),
    ...renderWindow(data),
    ...(unusedLines > 0 ? [line(`${pluralize(unusedLines, 'line')} of display state left out`)] : []),
    ...(lostLines > 0 ? [line(`${pluralize(lostLines, 'damaged line')} left out: see ctx check`)] : []),
    ...renderOrphans(data),
    renderOutput(data),
    ...renderResume(data.output),
  ];
}

function renderMoved({ movedResults: moved }: ImportDocument): Doc {
  const results = `${pluralize(moved, 'result')} moved to ${moved === 1 ? 'its call' : 'their calls'}`;
  return moved === 0 ? [] : [line(`${results}, before a message between: Pi would answer these calls twice`)];
}

function renderOrphans({ lostParents: lost }: ImportDocument): Doc {
  const entries = `${pluralize(lost, 'entry', 'entries')} without ${lost === 1 ? 'its parent' : 'their parents'}`;
  return lost === 0 ? [] : [line(`${entries}: ctx repair links ${lost === 1 ? 'it' : 'them'} to the entry before`)];
}

/** The context window that the file reveals, which commands on the import use. */
function renderWindow({ contextWindow: own }: ImportDocument): Doc {
  return own === null ? [] : [line(`context window: ${formatCount(own)} tokens, also for the import`)];
}
