import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { readBaseline, readImplementations } from '#cli/read-json.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { toPeriod } from '#cli/sessions/period.js';
import { addModelList } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { countDamage } from '#session/session.js';
import { resolvePath } from '#session/tree/revision.js';
import { type Doc, gap, line, span } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome, type OutcomeEnd } from '../define.js';
import { choiceFlag, positiveFlag, textFlag, toggleFlag } from '../flags.js';
import { findUnredacted } from '../redact/unredacted.js';
import { openNamedSession } from '../session.js';
import * as shared from '../shared-flags.js';
import type { ExportFormatList } from './document.js';
import type { ExportFormat, RequestFormat, SessionFormat, TablesFormat } from './formats/define.js';
import { exportFormats } from './formats/index.js';
import { saveExport, toExportResult } from './output.js';
import { formatRequest } from './request.js';

const NOT_PAYLOADS = listOtherFormats((format) => format.takes === 'request' && format.isPayload);
const NOT_REQUESTS = listOtherFormats(({ takes }) => takes === 'request');
const NOT_SESSIONS = listOtherFormats(({ takes }) => takes === 'session');
const NOT_TABLES = listOtherFormats(({ takes }) => takes === 'tables');

/** The formats that a flag has no effect on. */
function listOtherFormats(isMeant: (format: ExportFormat) => boolean): readonly string[] {
  return exportFormats.filter((format) => !isMeant(format)).map(({ name }) => `format ${name}`);
}

const FLAGS = {
  list: toggleFlag('list the formats, and what each cannot express'),
  output: { ...textFlag('FILE', 'the new file; for tables, the folder'), short: 'o' },
  full: {
    ...toggleFlag(
      'include thinking, what the agent added to the input, and changes of settings; for otel, messages, prompt and tools',
    ),
    excludes: NOT_SESSIONS,
  },
  model: {
    ...textFlag('NAME', 'the model of the request (default: the recorded one)'),
    excludes: NOT_PAYLOADS,
  },
  since: { ...shared.since, excludes: NOT_TABLES },
  force: { ...shared.force, needs: ['output'] },
  at: { ...shared.at, excludes: listOtherFormats(({ takes }) => takes !== 'tables') },
  'max-tokens': {
    ...positiveFlag('TOKENS', 'the maximum answer of the request, if the session does not record it'),
    excludes: NOT_PAYLOADS,
  },
  implementations: { ...shared.implementations, excludes: NOT_REQUESTS },
  baseline: { ...shared.baseline, excludes: NOT_REQUESTS },
  ephemeral: { ...shared.ephemeral, excludes: NOT_REQUESTS },
  lenient: { ...shared.lenient, excludes: NOT_REQUESTS },
  until: { ...shared.until, excludes: NOT_TABLES },
  partition: {
    ...choiceFlag('KEY', ['day'], 'add to a dataset in the folder of --output, with a partition for each day'),
    needs: ['output'],
    excludes: NOT_TABLES,
  },
  host: {
    ...textFlag('NAME', 'the owner of the partitions (default: the name of this machine)'),
    needs: ['partition'],
  },
};

type ExportInput = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'export',
  summary: 'Convert to provider requests, Markdown or Parquet',
  description:
    'Converts a session to a document of its conversation, to the provider request at an entry, or several sessions to ' +
    'tables. --format selects which; without it, prints the conversation as text.',
  args: [
    {
      name: 'sessions',
      help: 'a file, a session id or a prefix of it, "latest" (the default), or -; for tables also folders, patterns, "all" and "all:AGENT". A revision after one session is the entry to export',
      isMany: true,
    },
  ],
  flags: FLAGS,
  formats: exportFormats,
  takesRedact: true,
  isShared: true,
  examples: [
    'ctx export latest --format markdown -o conversation.md',
    'ctx export latest --format otel -o trace.json',
    'ctx export --list',
    "ctx export session.jsonl '@{request:3}' --format anthropic",
    'ctx export session.jsonl --format openai-responses --model gpt-5.5 -o request.json',
    'ctx export ~/.pi/agent/sessions --format parquet -o dataset --partition day',
  ],
  async run(input) {
    if (input.flags.list) return listFormats();
    const format = findFormat(input.format);
    const names = input.args.flatMap((name) => name ?? []);
    if (format.takes === 'tables') return exportTables(input, format, names);
    const [name = 'latest', other] = names;
    if (other !== undefined)
      throw new CtxError('usage', `${format.name} is a format of one session`, {
        where: other,
        hint: 'name one session; ctx export --list says which formats take many',
      });
    const session = await openNamedSession(input, name, input.flags);
    return format.takes === 'request'
      ? exportRequestAt(input, format, session)
      : exportConversation(input, format, session);
  },
});

function findFormat(name: string): ExportFormat {
  const format = exportFormats.find((each) => each.name === name);
  if (format) return format;
  throw new CtxError('usage', `nothing is exported as "${name}"`, { hint: 'ctx export --list says what there is' });
}

async function exportRequestAt(input: ExportInput, format: RequestFormat, session: OpenSession): Promise<Outcome> {
  const { at: revision, model, 'max-tokens': maxTokens, ephemeral } = input.flags;
  const baseline = await readBaseline(input.io.files, input.flags.baseline);
  const window = addModelList({ limit: undefined, configuredLimit: input.configuredLimit, baseline });
  const { implementations: file } = input.flags;
  const implementations = file === undefined ? undefined : await readImplementations(input.io.files, file);
  const options = { ...window, ephemeral, implementations };
  // A request may name its session.
  const { sharing } = input;
  const named = sharing ? { ...session, file: sharing.maskText(session.file) } : session;
  const { sent, ...written } = formatRequest(named, format, { revision, model, maxTokens, ...options });
  const isOther = model !== undefined || written.problems.some(({ code }) => code === 'translation');
  const faults = format.isPayload ? await findFaults(session, sent, isOther) : [];
  return deliver(input, session, { ...written, problems: [...written.problems, ...faults] });
}

/** A warning about a request that a provider rejects. `isOther`: it is for another model, which gets no thinking. */
async function findFaults(
  session: OpenSession,
  { messages, meta }: ContextEnvelope,
  isOther: boolean,
): Promise<readonly Problem[]> {
  const { listRejectingRules, RequestFaultFinder } = await import('#analysis/check/request-faults.js');
  const rules = listRejectingRules(session);
  const all = [...messages.cached, ...messages.uncached];
  // Results of other agents may have been moved away from their provenance.
  const sources = all.map((_, at) => (session.agent ? null : (meta.provenance[at]?.entryId ?? null)));
  const found = new RequestFaultFinder(rules).find(all, sources);
  const [first, ...others] = found.filter(({ rule }) => !isOther || rule !== 'moved-signature');
  if (!first) return [];
  const more = others.length === 0 ? '' : `, and ${pluralize(others.length, 'error')} more: see ctx check`;
  const message = `the provider rejects the request: ${first.message} (rule ${first.rule})${more}`;
  return [{ ...buildWarning('rejected', message), entryId: first.entryId }];
}

async function exportConversation(input: ExportInput, format: SessionFormat, session: OpenSession): Promise<Outcome> {
  const { at, full = false } = input.flags;
  const { path } = resolvePath(session, at);
  const { readFacts } = await import('../conversation.js');
  const facts = await readFacts(input.io, session, path);
  return deliver(input, session, {
    pieces: format.write({ session, path, facts, isFull: full }),
    problems: session.problems,
  });
}

interface ToDeliver {
  readonly pieces: Iterable<string> | AsyncIterable<Doc | string>;
  readonly problems: readonly Problem[];
}

/** Writes an export to `--output`, or hands it to standard output. */
async function deliver(input: ExportInput, session: OpenSession, { pieces, ...found }: ToDeliver): Promise<Outcome> {
  const problems = [...found.problems, ...(await findUnredacted(session, input.isRedacted))];
  // A session without damage gets no hint at `ctx check`, which could not add to the problems of a payload.
  const file = countDamage(session) > 0 ? { file: session.file } : {};
  const { output } = input.flags;
  const end = (): OutcomeEnd => ({ problems, ...file, notes: listNotes(input) });
  if (output === undefined) return { kind: 'pieces', pieces, end };
  const { io, format, flags } = input;
  const bytes = await saveExport(output, { io, force: flags.force, format, pieces, like: session.file });
  const result = toExportResult({ format, output, sessions: 1, files: [{ file: output, bytes, rows: null }] });
  return { kind: 'single', item: result, ...end() };
}

/** The sentence about what was masked, if something was to be masked. */
function listNotes({ sharing }: ExportInput): readonly string[] {
  return sharing ? [sharing.describe()] : [];
}

async function exportTables(input: ExportInput, format: TablesFormat, names: readonly string[]): Promise<Outcome> {
  const { io, flags } = input;
  const { output, force = false, partition, host } = flags;
  if (output === undefined)
    throw new CtxError('usage', `${format.name} needs --output`, { hint: 'say -o DIR, the folder that tables go to' });
  if (output === '-')
    throw new CtxError('usage', 'tables are several files, and standard output is one', { hint: 'say -o DIR' });
  const files = await findNamedFiles(io, names.length === 0 ? ['latest'] : names, toPeriod(flags, io.now()));
  const dataset = partition === undefined ? undefined : { host };
  const { problems, ...written } = await format.write({ io, files, folder: output, force, dataset });
  const result = toExportResult({ format: format.name, output, ...written, isDataset: dataset !== undefined });
  return { kind: 'single', item: result, problems, notes: listNotes(input) };
}

function listFormats(): Outcome {
  const formats = exportFormats.map(({ name, takes, summary, leavesOut }) => {
    return { name, takes, summary, leavesOut: [...leavesOut] };
  });
  const data: ExportFormatList = { schema: 'ctx/export-formats', schemaVersion: 1, formats };
  return { kind: 'single', item: { data, doc: () => exportFormats.flatMap(renderFormat) }, problems: [] };
}

const OF_WHAT: Readonly<Record<ExportFormat['takes'], string>> = {
  request: 'of one request',
  session: 'of one session',
  tables: 'of many sessions',
};

function renderFormat({ name, takes, summary, leavesOut }: ExportFormat, at: number): Doc {
  return [
    ...(at === 0 ? [] : [gap]),
    line(span(name, 'strong'), span(`  ${OF_WHAT[takes]}`, 'faint')),
    line(summary),
    ...(leavesOut.length === 0
      ? []
      : [{ kind: 'bullets' as const, items: leavesOut.map((left) => [span(left, 'faint')]) }]),
  ];
}
