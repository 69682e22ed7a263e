import { CtxError, type Problem } from '#base/errors.js';
import { sortLargestFirst } from '#base/lists.js';
import { explainChoice, locateSession } from '#cli/locate.js';
import { readBaseline, readImplementations } from '#cli/read-json.js';
import { followSession } from '#context/follow.js';
import { buildOverviewAt, eachEnvelope, envelopeAt, type OpenSession } from '#context/open.js';
import type { EnvelopeOptions, EnvelopeStep } from '#context/replay/build-envelope.js';
import type { EnvelopeHash } from '#context/replay/envelope-hash.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type EnvelopeOverview, toOverview } from '#context/replay/overview.js';
import { toLenient } from '#context/replayable.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { formatId } from '#session/heads/head.js';
import { resolvePath } from '#session/tree/revision.js';
import { type Doc, gap, line, span } from '#ui/doc/doc.js';
import type { Printable, View } from '#ui/doc/renderer.js';
import { renderMessages } from '#ui/parts/message-list.js';
import { type NumberedMessage, numberMessages, renderMessage } from '#ui/parts/message-view.js';
import { renderEnvelopeSummary, renderOverview } from '#ui/parts/overview.js';
import { renderOptions, renderSystemPrompt, renderTools, separateDocs } from '#ui/parts/regions-view.js';
import { describeWindowUse, formatShortSize } from '#ui/parts/size-words.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { refuseUnknownTool } from '../envelope-names.js';
import { choiceFlag, positiveFlag, rareFlag, toggleFlag } from '../flags.js';
import {
  addModelList,
  describeFile,
  openSessionFile,
  renderChoice,
  revisionArgument,
  sessionArgument,
} from '../session.js';
import * as shared from '../shared-flags.js';
import type { EnvelopeLine, EnvelopeMessageLine } from './document.js';
import { renderEnvelopeMarkdown } from './markdown.js';
import { hasSelection, pickSelection, SELECTION_FLAGS, selectMessages } from './selection.js';

/** Flags without an effect on a conversation. */
const NO_CONVERSATION = [
  'part',
  ...Object.keys(SELECTION_FLAGS),
  'sort',
  'each',
  'watch',
  'tokenizer',
  'ephemeral',
  'implementations',
];

const FLAGS = {
  at: shared.at,
  full: { ...toggleFlag('print texts in full'), excludes: ['format json', 'each'] },
  conversation: {
    ...toggleFlag('print the conversation, to read: calls, results and thinking are folded; --full unfolds them'),
    excludes: NO_CONVERSATION,
  },
  sort: {
    ...choiceFlag('BY', ['tokens'], 'list the largest messages first'),
    excludes: ['format json', 'format markdown', 'full', 'each'],
  },
  part: {
    ...choiceFlag('PART', ['system', 'tools', 'messages', 'options'], 'print one part of the envelope'),
    excludes: ['each'],
  },
  ...SELECTION_FLAGS,
  max: {
    ...positiveFlag('N', 'the last N turns of the conversation'),
    short: 'n',
    alias: 'last',
    needs: ['conversation'],
  },
  each: rareFlag(toggleFlag('print a JSON line per entry of the path: hash, tokens, number of messages')),
  watch: {
    ...toggleFlag('show it again whenever the session grows, until interrupted'),
    excludes: ['each'],
  },
  baseline: shared.baseline,
  limit: shared.limit,
  tokenizer: shared.tokenizer,
  lenient: shared.lenient,
  ephemeral: shared.ephemeral,
  implementations: shared.implementations,
};

type Input = CommandInput<typeof FLAGS>;
type Flags = Input['flags'];

/** The flags of a call, and its token method if that is not Pi's. */
interface ShowQuery extends Flags {
  readonly method: TokenMethod | undefined;
  /** The session and the revision as the user named them. */
  readonly where: readonly string[];
  /** The name of the file for people. */
  readonly file: string;
}

/** The envelope as a command prints it. */
interface PrintableEnvelope extends Printable {
  readonly data: ContextEnvelope | EnvelopeOverview;
  /** The selected part or messages as JSON Lines; null for the whole envelope. */
  readonly selected: Iterable<Printable> | null;
}

export default defineCommand({
  name: 'show',
  summary: 'Show the context the model saw at any point',
  description:
    'Replays a session up to an entry and shows the context at that point: system prompt, tools, messages and ' +
    'options, each with its source entry and token count. Reads every version of Pi session files and changes ' +
    'nothing.',
  args: [sessionArgument, revisionArgument],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx show',
    'ctx show session.jsonl --sort tokens',
    'ctx show session.jsonl HEAD~3 --part messages',
    "ctx show session.jsonl '@{request:2}' --message 2 --full",
    'ctx show latest --limit 200k',
    'ctx show latest --conversation',
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    refuseUnusedSelection(flags);
    if (flags.conversation && format === 'json') throw buildConversationAsJsonError();
    const file = await locateSession(io, args[0] ?? 'latest');
    const options = await readOptions(input);
    if (flags.watch) return watch(input, file, options);
    const session = await openSessionFile(input, file, flags);
    if (flags.conversation) return showConversation(input, session, options);
    const method = await loadTokenMethod(session, flags, options);
    if (flags.each) return showEach(session, flags.at, { ...options, method });
    const choice = args[0] === undefined ? await explainChoice(io, session) : null;
    const printable = buildPrintable(session, input, { ...options, method }, choice);
    const end = { file, problems: printable.data.meta.diagnostics };
    return printable.selected
      ? { kind: 'stream', items: printable.selected, end: () => end }
      : { kind: 'single', item: printable, ...end };
  },
});

function buildConversationAsJsonError(): CtxError {
  const hint = 'leave --conversation out for the messages as JSON, or ask ctx log --json for the entries';
  return new CtxError('usage', '--conversation prints a text to read, which has no JSON', { hint });
}

/** The conversation up to a revision. */
async function showConversation(
  { io, args, flags, format }: Input,
  session: OpenSession,
  options: EnvelopeOptions,
): Promise<Outcome> {
  const { readFacts, writeConversation } = await import('../conversation.js');
  const { path } = resolvePath(session, flags.at);
  const isDocument = format === 'markdown';
  const isFull = flags.full ?? false;
  // A broken patch is no reason to hide the conversation.
  const { size, limit, sources } = buildOverviewAt(toLenient(session), flags.at, options).meta;
  const context = `context ${formatShortSize(size)}${describeWindowUse(size, limit, sources.limit === 'assumed')}`;
  const pieces = writeConversation({
    session,
    path,
    last: flags.max,
    facts: [...(await readFacts(io, session, path)), ...(isDocument ? [] : [['Context', context] as const])],
    name: isDocument || isFull || session.file === '-' ? undefined : (args[0] ?? 'latest'),
    isDocument,
    isOpen: isDocument || isFull,
    hasHidden: !isDocument || isFull,
  });
  return { kind: 'pieces', pieces, end: () => ({ file: session.file, problems: session.problems }) };
}

/** Whether only a part of the envelope or some messages are printed. */
function isPartial(flags: Flags): boolean {
  return flags.part !== undefined || hasSelection(flags);
}

/** The envelope as it is, and again whenever something was written. */
function watch(input: Input, file: string, options: EnvelopeOptions): Outcome {
  let problems: readonly Problem[] = [];
  async function* versions(): AsyncGenerator<readonly Printable[]> {
    for await (const update of followSession(input.io, file)) {
      const session = input.flags.lenient ? toLenient(update.session) : update.session;
      const method = await loadTokenMethod(session, input.flags, options);
      const printable = buildPrintable(session, input, { ...options, method });
      problems = printable.data.meta.diagnostics;
      yield [...(printable.selected ?? [printable])];
    }
  }
  return { kind: 'stream', isScreen: true, items: versions(), end: () => ({ file, problems }) };
}

/** Without selecting flags the text view is one page, so most messages are never read. */
function buildPrintable(
  session: OpenSession,
  { io, args, flags, format }: Input,
  options: EnvelopeOptions,
  choice: string | null = null,
): PrintableEnvelope {
  const where = [args[0], flags.at].flatMap((word) => word ?? []);
  const file = describeFile(session.file, io);
  if (format === 'text' && !flags.full && !isPartial(flags)) {
    const data = buildOverviewAt(session, flags.at, options);
    return {
      data,
      selected: null,
      doc: ({ rows, columns }) => {
        const style = { rows, columns, bySize: flags.sort !== undefined, where, file };
        return [...renderChoice(choice), ...renderOverview(data, findSessionTitle(session), style)];
      },
    };
  }
  const data = envelopeAt(session, flags.at, options);
  if (flags.tool !== undefined) refuseUnknownTool(data, flags.tool);
  const { method } = options;
  const selected = format === 'json' && isPartial(flags) ? listSelectedLines(data, flags) : null;
  return { data, selected, doc: (view) => renderSelected(session, data, { ...flags, method, where, file }, view) };
}

/**
 * Loads a tokenizer only if a flag names one, since they are large. It remembers the texts that it counted, since one
 * context repeats those of the one before.
 */
async function loadTokenMethod(
  session: OpenSession,
  { tokenizer }: Flags,
  { baseline = {} }: EnvelopeOptions,
): Promise<TokenMethod | undefined> {
  if (!tokenizer) return undefined;
  const { methodFor } = await import('#analysis/stats/token-method.js');
  const { name, count } = await methodFor(session, { tokenizer, baseline });
  const counts = new Map<string, number>();
  return {
    name,
    count(words) {
      const tokens = counts.get(words) ?? count(words);
      counts.set(words, tokens);
      return tokens;
    },
  };
}

async function readOptions({ io, flags, configuredLimit }: Input): Promise<EnvelopeOptions> {
  const { limit } = flags;
  const baseline = flags.baseline === undefined ? undefined : await readBaseline(io.files, flags.baseline);
  return {
    ...addModelList({ limit, configuredLimit, baseline }),
    implementations:
      flags.implementations === undefined ? undefined : await readImplementations(io.files, flags.implementations),
    ephemeral: flags.ephemeral,
  };
}

/** System, tools and options hold no messages; of tools, one can be named. */
function refuseUnusedSelection(flags: Flags): void {
  const { part, sort } = flags;
  if (part === undefined || part === 'messages') return;
  const { tool, ...others } = pickSelection(flags);
  const unusable = { ...others, sort, tool: part === 'tools' ? undefined : tool };
  const unused = Object.entries(unusable).find(([, value]) => value !== undefined);
  if (!unused) return;
  throw new CtxError('usage', `--${unused[0]} applies to messages, and --part ${part} prints none`, {
    hint: 'leave one of them out',
  });
}

function renderSelected(session: OpenSession, envelope: ContextEnvelope, query: ShowQuery, view: View): Doc {
  const { part, method, where, file } = query;
  const isFull = query.full ?? false;
  if (part === 'options') return renderOptions(envelope);
  const selected = renderPart(envelope, query, isFull);
  // If everything is shown, the sum tells how it was counted.
  if (selected !== null) {
    return method ? [...selected, gap, line(span(`tokens estimated (${method.name})`, 'faint'))] : selected;
  }
  if (view.format === 'markdown') return renderEnvelopeMarkdown(envelope, isFull);
  return renderEnvelope(envelope, findSessionTitle(session), { where, file });
}

/** The selected part of the envelope, or messages; null for the whole envelope. */
function renderPart(envelope: ContextEnvelope, query: ShowQuery, isFull: boolean): Doc | null {
  const { part, tool } = query;
  if (part === 'tools') return renderTools(envelope, { isFull: isFull || tool !== undefined, only: tool });
  const items = numberMessages(envelope);
  if (hasSelection(query)) return renderMessageSelection(items, query, isFull);
  if (part === 'system') return renderSystemPrompt(envelope, isFull);
  if (part !== 'messages') return null;
  return isFull
    ? separateDocs(items.map((item) => renderMessage(item, true)))
    : renderMessages(toOverview(envelope), { rows: Infinity, bySize: query.sort !== undefined });
}

/** Everything in the envelope, for a terminal. */
function renderEnvelope(envelope: ContextEnvelope, title: string, place: Pick<ShowQuery, 'where' | 'file'>): Doc {
  return separateDocs([
    renderEnvelopeSummary(toOverview(envelope), title, { ...place, rows: Infinity }),
    renderSystemPrompt(envelope, true),
    renderTools(envelope, { isFull: true }),
    renderOptions(envelope),
    ...numberMessages(envelope).map((item) => renderMessage(item, true)),
  ]);
}

function renderMessageSelection(items: readonly NumberedMessage[], query: ShowQuery, isFull: boolean): Doc {
  const found = selectMessages(items, query);
  if (found.length === 0) return [line(span('no message matches', 'faint'))];
  const listed = query.sort ? sortLargestFirst(found, ({ share }) => share.tokens) : found;
  return separateDocs(listed.map((item) => renderMessage(item, isFull)));
}

/** A selection as JSON Lines: a part of the envelope under its name, or a line for each message. */
function* listSelectedLines(envelope: ContextEnvelope, flags: Flags): Generator<Printable> {
  const { part, tool } = flags;
  if (part === 'tools' && tool !== undefined)
    yield { data: { tools: envelope.tools.filter(({ name }) => name === tool) }, doc: () => [] };
  else if (part !== undefined && !hasSelection(flags)) yield { data: { [part]: envelope[part] }, doc: () => [] };
  else
    for (const item of selectMessages(numberMessages(envelope), flags))
      yield { data: toMessageLine(item), doc: () => [] };
}

function toMessageLine({ number, message, provenance, isCached, share }: NumberedMessage): EnvelopeMessageLine {
  return {
    schema: 'ctx/message',
    schemaVersion: 1,
    number,
    entryId: provenance?.entryId ?? null,
    line: provenance?.line ?? null,
    origin: provenance?.origin ?? null,
    isCached,
    ...share,
    message: { ...message },
  };
}

/** A line of data for every entry from the root to a revision. */
async function showEach(
  session: OpenSession,
  revision: string | undefined,
  options: EnvelopeOptions,
): Promise<Outcome> {
  // Hashing needs a Node module that the rest of this command does not load.
  const { EnvelopeHash: Hash } = await import('#context/replay/envelope-hash.js');
  const problems = [...session.problems];
  const items = listLines(eachEnvelope(session, revision, options), new Hash(), problems);
  return { kind: 'stream', items, format: 'json', end: () => ({ file: session.file, problems }) };
}

/** One report for each step. After the last one, the diagnostics are added to `problems`. */
function* listLines(steps: Iterable<EnvelopeStep>, hash: EnvelopeHash, problems: Problem[]): Generator<Printable> {
  let noted: readonly Problem[] = [];
  for (const { head, content, tokens: count, diagnostics } of steps) {
    noted = diagnostics;
    const tokens = count();
    const data: EnvelopeLine = {
      schema: 'ctx/envelope-line',
      schemaVersion: 1,
      entryId: formatId(head.id),
      line: head.line,
      type: head.type,
      envelopeSha256: hash.of(content),
      tokens: tokens.total,
      tokenMethod: tokens.method,
      messages: content.messages.cached.length,
    };
    yield { data, doc: () => [] };
  }
  for (const problem of noted) problems.push(problem);
}
