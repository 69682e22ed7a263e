import path from 'node:path';
import { messageText } from '#analysis/facts/text.js';
import { isEncryptedSummary } from '#analysis/loss/hollow.js';
import { tables } from '#analysis/tables/index.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { asString, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { moveResultsToCalls } from '#change/migrate/result-order.js';
import { groupFamilies } from '#cli/sessions/families.js';
import { findAssumedWindow } from '#context/models/registry.js';
import { envelopeAt, type OpenSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { omitTools } from '#context/replay/system.js';
import type { Io } from '#platform/io.js';
import { hostName } from '#platform/processes.js';
import type { AgentOrigin } from '#session/agents/define.js';
import { resolveRevision } from '#session/tree/revision.js';
import { renderIndentedJson } from '#ui/doc/json.js';
import anthropic from './anthropic.js';
import type {
  ExportedRequest,
  ExportedTables,
  ExportFormat,
  RequestFormat,
  RequestToExport,
  TablesFormat,
  TablesToExport,
} from './define.js';
import openaiChat from './openai-chat.js';
import openaiResponses from './openai-responses.js';
import { markdownTranscript, textTranscript as text } from './transcript.js';

const json = {
  name: 'json',
  takes: 'request',
  isPayload: false,
  summary: 'the context envelope with the source of each part: the document of ctx show --json',
  leavesOut: [],
  write: ({ envelope }) => ({ pieces: renderIndentedJson(envelope), problems: [] }),
} satisfies RequestFormat;

const parquet: TablesFormat = {
  name: 'parquet',
  summary: 'tables of entries, messages, tool calls, usage and envelopes, for SQL over many sessions',
  takes: 'tables',
  leavesOut: [
    'Images: only their number.',
    'What extensions store beside messages, and fields without a column.',
    'Envelopes of requests on other branches; the other tables cover all branches.',
  ],
  write: writeParquet,
};

/** Every form in which sessions leave. */
export const exportFormats: readonly ExportFormat[] = [
  text,
  markdownTranscript,
  json,
  anthropic,
  openaiResponses,
  openaiChat,
  parquet,
];

/** The entry of a request, its context, and how a provider is asked. */
type RequestChoice = EnvelopeOptions &
  Partial<Pick<RequestToExport, 'model' | 'maxTokens'>> & { readonly revision?: string | undefined };

/** Writes the request at an entry in a format. A tool without an implementation is not sent. */
export function formatRequest(
  session: OpenSession,
  format: RequestFormat,
  choice: RequestChoice,
): ExportedRequest & { readonly sent: ContextEnvelope } {
  const { revision = 'HEAD', model, maxTokens, ...options } = choice;
  const at = resolveRevision(session, revision);
  const envelope = envelopeAt(session, revision, options);
  const sent = format.isPayload ? asSent(envelope, session) : envelope;
  const { pieces, problems } = format.write({ session, at, envelope: sent, model, maxTokens });
  const { agent } = session;
  const others = format.isPayload && agent ? [...movedIn(sent, envelope), ...missingIn(sent, agent, format.name)] : [];
  return { pieces, problems: [...envelope.meta.diagnostics, ...problems, ...others], sent };
}

/** A context as a provider accepts it: in that of another agent, results come directly after their calls. */
function asSent(context: ContextEnvelope, { agent }: OpenSession): ContextEnvelope {
  const envelope = omitTools(context, context.meta.toolsWithoutImplementation);
  if (!agent) return envelope;
  const { messages } = envelope;
  return { ...envelope, messages: { ...messages, cached: moveResultsToCalls(messages.cached) } };
}

function movedIn({ messages: { cached } }: ContextEnvelope, recorded: ContextEnvelope): readonly Problem[] {
  const moved = cached.filter((message, at) => {
    return message.role === 'toolResult' && message !== recorded.messages.cached[at];
  });
  const results = pluralize(moved.length, 'result');
  if (moved.length === 0) return [];
  return [
    buildWarning('moved-results', `${results} placed directly after the call, before a message recorded between`),
  ];
}

/** Warnings about what another agent did not record, or not in a form that the request can have. */
function missingIn(
  { system, tools, options, messages, meta }: ContextEnvelope,
  { parts, title }: AgentOrigin,
  format: string,
): readonly Problem[] {
  const isMissing = {
    'the system prompt': system.parts.length === 0 && parts.system !== 'recorded',
    'the tools': tools.length === 0 && parts.tools !== 'recorded',
    'the thinking level': meta.thinkingLevel === 'unknown' && typeof options.reasoning !== 'string',
  };
  const names = Object.entries(isMissing).flatMap(([name, isSo]) => (isSo ? [name] : []));
  const sealed = format === openaiResponses.name ? 0 : messages.cached.filter(isEncrypted).length;
  return [
    ...(names.length === 0 ? [] : [notRecorded(title, names)]),
    ...(messages.cached.some((message) => isEncryptedSummary(messageText(message))) ? [ENCRYPTED_SUMMARY] : []),
    ...(sealed === 0 ? [] : [buildWarning('encrypted-thinking', `${pluralize(sealed, 'answer')} ${ENCRYPTED}`)]),
  ];
}

function notRecorded(title: string, names: readonly string[]): Problem {
  const list = new Intl.ListFormat('en').format(names);
  return buildWarning('not-recorded', `${title} did not record ${list}, so the request lacks them: see --baseline`);
}

const ENCRYPTED_SUMMARY = buildWarning(
  'encrypted-summary',
  'a summary is encrypted in the file: the request has a note with its length instead',
);

/** Whether an answer has thinking that only the Responses API can read. */
function isEncrypted({ content }: LlmMessage): boolean {
  return listObjects(content).some(({ type, thinkingSignature }) => {
    return type === 'thinking' && asString(thinkingSignature)?.includes('"encrypted_content"');
  });
}

const ENCRYPTED = 'with encrypted thinking, which only the Responses API accepts: it is left out';

/**
 * The request at an entry as a provider receives it, as `ctx export --format NAME` writes it: `anthropic`, `openai-chat`
 * or `openai-responses`. Throws a CtxError (usage) for another format or an unknown revision.
 */
export function exportRequest(
  session: OpenSession,
  format: string,
  choice: RequestChoice = {},
): Omit<ExportedRequest, 'pieces'> & { readonly text: string } {
  const found = exportFormats.find(({ name }) => name === format);
  if (found?.takes !== 'request')
    throw new CtxError('usage', `"${format}" is no format of a request`, { hint: 'use anthropic or openai-chat' });
  const { pieces, problems } = formatRequest(session, found, { assumedWindow: findAssumedWindow, ...choice });
  return { text: [...pieces].join(''), problems };
}

async function writeParquet({ io, files, folder, force, dataset }: TablesToExport): Promise<ExportedTables> {
  refuseMixture(io, folder, dataset !== undefined);
  const { listReadProblems, writeTableFiles } = await import('#cli/tables/write-tables.js');
  if (dataset) {
    const { writeDataset } = await import('#cli/tables/dataset.js');
    const { sessions, files: written } = await writeDataset({ io, files, folder, host: dataset.host ?? hostName() });
    const problems = sessions.flatMap(({ problem }) => problem ?? []);
    return { sessions: countRead(sessions), files: written, problems };
  }
  const work = { families: await groupFamilies(io, files), folderOf: () => folder, force, check: listReadProblems };
  const { sessions, files: written } = await writeTableFiles({ io, ...work });
  return { sessions: countRead(sessions), files: written, problems: listReadProblems(sessions) };
}

const TABLE_FILES = new Set(tables.map(({ name }) => `${name}.parquet`));

/** Tables and a dataset in one folder would count sessions twice. Throws a CtxError (refused). */
function refuseMixture({ files, cwd }: Io, folder: string, isDataset: boolean): void {
  const names = files.list(path.resolve(cwd || '/', folder));
  const found = names.find((name) => (isDataset ? TABLE_FILES.has(name) : /^_ctx\.host=.*\.json$/.test(name)));
  if (found === undefined) return;
  const hint = isDataset
    ? 'write the dataset to another folder, or remove these tables'
    : 'write the tables to another folder, or add to the dataset with --partition day';
  const what = isDataset ? 'this folder holds tables without partitions' : 'this folder is a dataset';
  throw new CtxError('refused', `${what}: its rows would count twice`, { where: path.join(folder, found), hint });
}

function countRead(sessions: readonly { readonly isRead: boolean }[]): number {
  return sessions.filter(({ isRead }) => isRead).length;
}
