import { CtxError } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import { buildUuid } from '#base/uuid.js';
import { convertSession } from '#change/convert/convert-session.js';
import { formatResumeLine } from '#cli/resume-command.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { type Block, type Doc, fileHeading, line, span } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { renderOutput } from '../new-session.js';
import { describeLoss } from './describe-loss.js';
import { describeOriginal, type ImportDocument } from './document.js';
import type { Target } from './targets.js';
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
  const installed = (): string => copier.place({ sessionId: id, cwd, folder: '', root, timestamp });
  const output = await writeConverted(io, flags, { bytes: [converted.bytes], from: file, installed });
  const isInstalled = output !== null && flags.install === true;
  const from = agent?.title ?? 'Pi';
  const newSession = {
    id,
    messages: converted.messages.length,
    tokensEstimated: converted.context.meta.tokens.cached,
    isInstalled,
  };
  const data: ImportDocument = {
    schema: 'ctx/import',
    schemaVersion: 1,
    ...describeOriginal(session),
    output,
    replacements: 0,
    addedEntries: 0,
    ignoredTransforms: 0,
    movedResults: converted.movedResults,
    newSize: converted.bytes.length,
    to: format.name as Target,
    newSession,
    losses: converted.losses.map((loss) => {
      return { ...loss, text: describeLoss(loss, { from, to: title, tools: converted.tools }) };
    }),
    resume:
      output === null || output === '-'
        ? null
        : formatResumeLine(io, copier, { sessionId: id, file: output, cwd, isInstalled }),
  };
  const doc = (): Doc => renderConversion(data, { from, to: title });
  const exitCode = data.lostLines > 0 ? 1 : 0;
  return { kind: 'single', item: { data, doc }, problems: session.problems, file, exitCode };
}

function renderConversion(data: ImportDocument, { from, to }: { readonly from: string; readonly to: string }): Doc {
  const { file, agentVersion, newSession, losses, lostLines, movedResults } = data;
  const messages = pluralize(newSession.messages ?? 0, 'message');
  const tokens = formatCount(newSession.tokensEstimated ?? 0);
  return [
    fileHeading(file),
    line(`${from}${agentVersion === null ? '' : ` ${agentVersion}`} → ${to}: ${messages}, ~${tokens} tokens`),
    ...(losses.length > 0 ? [line(span('does not carry over:', 'strong'))] : []),
    ...losses.map(({ text }) => line(`  ${text}`)),
    ...(movedResults > 0
      ? [line(`${pluralize(movedResults, 'result')} moved to the calls, before messages between`)]
      : []),
    ...(lostLines > 0 ? [line(`${pluralize(lostLines, 'damaged line')} left out: see ctx check`)] : []),
    renderOutput(data),
    ...renderOpening(data, to),
  ];
}

function renderOpening({ output, resume }: ImportDocument, to: string): readonly Block[] {
  if (output === null || output === '-') return [];
  if (resume === null) return [line(`${to} opens no session here: --install puts it where ${to} looks`)];
  return [{ kind: 'whole', text: `resume: ${resume}` }];
}
