import { CtxError } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { formatTime } from '#base/time.js';
import { buildUuid } from '#base/uuid.js';
import { convertSession } from '#change/convert/convert-session.js';
import { formatResumeLine } from '#cli/resume-command.js';
import { formatShorteningCommand, warnOfOverfull } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { type Block, commandLine, type Doc, line } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { buildImportDocument } from './build-document.js';
import type { DescribedConversion } from './describe-loss.js';
import type { ImportDocument } from './document.js';
import type { Target } from './targets.js';
import { renderConversion } from './view.js';
import { type PlaceFlags, writeConverted } from './write-converted.js';

/** Writes the context of a session as a session of an agent that is not Pi. */
export async function convertToAgent(
  io: Io,
  flags: PlaceFlags,
  session: OpenSession,
  format: AgentFormat,
): Promise<Outcome> {
  const { writer, copier, title } = format;
  if (!writer || !copier)
    throw new CtxError('usage', `ctx writes no session of ${title}`, { hint: 'name another agent' });
  const { file, agent, header } = session;
  const id = buildUuid(io.newId);
  const timestamp = formatTime(io.now()) ?? '';
  const cwd = header.cwd || io.cwd;
  const stamps = { sessionId: id, timestamp, newId: () => buildUuid(io.newId) };
  const converted = await convertSession(session, writer, stamps, cwd);
  const root = format.folders(io.env, io.home)[0] ?? '.';
  const installed = (): string => copier.opening.placeOf({ sessionId: id, cwd, folder: '', root, timestamp });
  const output = await writeConverted(io, flags, { bytes: [converted.bytes], from: file, installed });
  const isInstalled = output !== null && flags.install === true;
  const conversion = { from: agent?.title ?? 'Pi', to: title, tools: converted.tools };
  const overfull = warnOfOverfull(session, {
    size: converted.context.meta.size,
    output,
    configuredLimit: flags.configuredLimit,
  });
  const place = output === '-' ? null : output;
  const opening =
    place === null ? null : formatResumeLine(io, copier, { sessionId: id, file: place, cwd, isInstalled });
  const shorter = formatShorteningCommand('convert', isInstalled ? id : toShellWord(place ?? 'COPY'));
  const first = opening !== null && overfull.length > 0 ? shorter : null;
  const newSession = {
    id,
    messages: converted.messages.length,
    tokensEstimated: converted.context.meta.tokens.cached,
    isInstalled,
  };
  const data = buildImportDocument(session, {
    output,
    movedResults: converted.movedResults,
    newSize: converted.bytes.length,
    to: format.name as Target,
    newSession,
    losses: converted.losses,
    conversion,
    resume: first === null ? opening : null,
  });
  const doc = (): Doc => renderCopy(data, conversion, first);
  const exitCode = data.lostLines > 0 ? 1 : 0;
  return { kind: 'single', item: { data, doc }, problems: [...session.problems, ...overfull], file, exitCode };
}

/** `first`: the command to run before the agent opens the session; null for none. */
function renderCopy(data: ImportDocument, conversion: DescribedConversion, first: string | null): Doc {
  const { newSession, movedResults } = data;
  const messages = pluralize(newSession.messages ?? 0, 'message');
  const what = `${messages}, ~${formatCount(newSession.tokensEstimated ?? 0)} tokens`;
  const moved = `${pluralize(movedResults, 'result')} moved to the calls, before messages between`;
  const notes = movedResults > 0 ? [line(moved)] : [];
  const opening = first === null ? renderOpening(data, conversion.to) : [commandLine('first: ', first)];
  return [...renderConversion(data, conversion, { what, notes }), ...opening];
}

function renderOpening({ output, resume }: ImportDocument, to: string): readonly Block[] {
  if (output === null || output === '-') return [];
  if (resume === null) return [line(`${to} opens no session here: --install puts it where ${to} looks`)];
  return [commandLine('resume: ', resume)];
}
