import path from 'node:path';
import { buildWarning, type Problem } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { formatTime, parseTimestamp } from '#base/time.js';
import { buildUuid } from '#base/uuid.js';
import { LossCounter } from '#change/convert/losses.js';
import { buildImportLines } from '#change/migrate/import-session.js';
import { StockEntryBuilder } from '#change/migrate/stock-entries.js';
import { formatResumeCommand } from '#change/plan/next-commands.js';
import { warnOfOverfull } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { Io } from '#platform/io.js';
import type { AgentOrigin } from '#session/agents/define.js';
import {
  buildNoHomeError,
  findSessionsFolder,
  nameSessionFile,
  nameSessionsFolder,
} from '#session/agents/pi-folders.js';
import type { Session } from '#session/session.js';
import { commandLine, type Doc, line } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { renderResume } from '../new-session.js';
import { buildImportDocument } from './build-document.js';
import type { DescribedConversion } from './describe-loss.js';
import type { ImportDocument } from './document.js';
import { renderConversion } from './view.js';
import { type PlaceFlags, writeConverted } from './write-converted.js';

/** Writes the session of another agent as one of Pi, version 3, with every branch. */
export async function convertToPi(
  io: Io,
  flags: PlaceFlags,
  session: OpenSession,
  agent: AgentOrigin,
): Promise<Outcome> {
  const { file } = session;
  const id = buildUuid(io.newId);
  const entries = new StockEntryBuilder(session);
  let newSize = 0;
  const countBytes = function* (): Generator<Uint8Array> {
    for (const bytes of buildImportLines(session, entries, id)) {
      newSize += bytes.length;
      yield bytes;
    }
  };
  const output = await writeConverted(io, flags, {
    bytes: countBytes(),
    from: file,
    installed: () => placeInPi(io, session, id),
  });
  const { size } = buildEnvelope(session, session.tree.leaf).meta;
  const overfull = warnOfOverfull(session, { size, output, configuredLimit: flags.configuredLimit });
  const opening = output === null || output === '-' ? null : formatResumeCommand(output);
  const first = opening !== null && overfull.length > 0 ? `ctx compact ${toShellWord(output ?? '')}` : null;
  const losses = new LossCounter();
  losses.add('tools', entries.tools.size);
  losses.add('prompt', entries.ignoredTransforms);
  const conversion = { from: agent.title, to: 'Pi', tools: entries.tools };
  const data = buildImportDocument(session, {
    output,
    replacements: entries.replacements,
    addedEntries: entries.added,
    ignoredTransforms: entries.ignoredTransforms,
    movedResults: entries.results.moved,
    newSize,
    to: 'pi',
    newSession: {
      id,
      messages: null,
      tokensEstimated: null,
      isInstalled: output !== null && flags.install === true,
    },
    losses: losses.list(),
    conversion,
    resume: first === null ? opening : null,
  });
  const problems = [...session.problems, ...overfull, ...warnLateResults(entries.results.left)];
  const doc = (): Doc => renderImport(data, conversion, first);
  return { kind: 'single', item: { data, doc }, problems, file, exitCode: data.lostLines > 0 ? 1 : 0 };
}

/** The place where Pi looks for a session of its working directory, or of the current one if it has none. */
function placeInPi(io: Io, { header }: Session, id: string): string {
  const folder = findSessionsFolder(io);
  if (folder === null) throw buildNoHomeError();
  const timestamp = formatTime(parseTimestamp(header.timestamp)) ?? formatTime(io.now()) ?? '';
  return path.join(folder, nameSessionsFolder(header.cwd || io.cwd), nameSessionFile(id, timestamp));
}

function warnLateResults(answers: number): readonly Problem[] {
  if (answers === 0) return [];
  const results = `the results of ${pluralize(answers, 'answer')} stay after a message, which providers refuse`;
  return [buildWarning('result-out-of-order', `${results}: ctx check lists them, ctx repair moves them`)];
}

/** `first`: the command to run before Pi opens the session; null for none. */
function renderImport(data: ImportDocument, conversion: DescribedConversion, first: string | null): Doc {
  const { entries, unusedLines, replacements, addedEntries } = data;
  const histories = pluralize(replacements, 'replaced history', 'replaced histories');
  const notes = [
    ...(replacements > 0 ? [line(`${histories}: ${pluralize(addedEntries, 'entry', 'entries')} added for Pi`)] : []),
    ...renderMoved(data),
    ...renderWindow(data),
    ...(unusedLines > 0 ? [line(`${pluralize(unusedLines, 'line')} of display state left out`)] : []),
    ...renderOrphans(data),
  ];
  const what = pluralize(entries, 'entry', 'entries');
  const next = first === null ? renderResume(data.output) : [commandLine('first: ', first)];
  return [...renderConversion(data, conversion, { what, notes }), ...next];
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
