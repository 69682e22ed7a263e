import { batchItems } from '#base/batches.js';
import { CtxError, type Problem } from '#base/errors.js';
import { explainChoice } from '#cli/latest.js';
import { locateSession } from '#cli/locate.js';
import { readBaseline, readImplementations } from '#cli/read-json.js';
import { addModelList } from '#cli/window.js';
import { buildOverviewAt, envelopeAt } from '#context/envelope-at.js';
import { followSession } from '#context/follow.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { resolvePath } from '#session/tree/revision.js';
import type { Printable } from '#ui/doc/renderer.js';
import { renderOverview } from '#ui/parts/overview.js';
import { describeWindowUse, formatShortSize } from '#ui/parts/size-words.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { refuseUnknownTool } from '../envelope-names.js';
import { choiceFlag, positiveFlag, rareFlag, toggleFlag } from '../flags.js';
import { describeFile, openSessionFile, renderChoice, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { listSelectedLines, streamEachEntry } from './json-lines.js';
import { hasSelection, SELECTION_FLAGS, SELECTION_NAMES } from './selection.js';
import { renderSelected } from './view.js';

/** Flags without an effect on a conversation. */
const NO_CONVERSATION = [
  'part',
  ...SELECTION_NAMES,
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
    if (flags.each) return streamEachEntry(session, flags.at, { ...options, method });

    const choice = args[0] === undefined ? await explainChoice(io, session) : null;
    const printable = buildPrintable(session, input, { ...options, method }, choice);
    const end = { file, problems: printable.data.meta.diagnostics };
    if (printable.selected) return { kind: 'stream', batches: batchItems(printable.selected), end: () => end };
    return { kind: 'single', item: printable, ...end };
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
    facts: [...(await readFacts(io, session, path)), ...(isDocument ? [] : [{ name: 'Context', value: context }])],
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
  return { kind: 'stream', isScreen: true, batches: versions(), end: () => ({ file, problems }) };
}

/** Builds the output. Without selecting flags the text view is one page, so most messages are never read. */
function buildPrintable(
  session: OpenSession,
  { io, args, flags, format }: Input,
  options: EnvelopeOptions,
  choice: string | null = null,
): PrintableEnvelope {
  const where = [args[0], flags.at].filter((word) => word !== undefined);
  const file = describeFile(session.file, io);
  if (format === 'text' && !flags.full && !isPartial(flags)) {
    const data = buildOverviewAt(session, flags.at, options);
    const bySize = flags.sort !== undefined;
    return {
      data,
      selected: null,
      doc: ({ rows, columns }) => [
        ...renderChoice(choice),
        ...renderOverview(data, findSessionTitle(session), { rows, columns, bySize, where, file }),
      ],
    };
  }
  const data = envelopeAt(session, flags.at, options);
  if (flags.tool !== undefined) refuseUnknownTool(data, flags.tool);
  const isFull = flags.full ?? false;
  const method = options.method?.name ?? null;
  return {
    data,
    selected: format === 'json' && isPartial(flags) ? listSelectedLines(data, flags) : null,
    doc: (view) =>
      renderSelected(data, { ...flags, isFull, method, where, file, title: findSessionTitle(session) }, view),
  };
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
  const { limit, ephemeral, baseline: baselineFile, implementations: toolsFile } = flags;
  const baseline = baselineFile === undefined ? undefined : await readBaseline(io.files, baselineFile);
  const implementations = toolsFile === undefined ? undefined : await readImplementations(io.files, toolsFile);
  return { ...addModelList({ limit, configuredLimit, baseline }), implementations, ephemeral };
}

/** System, tools and options hold no messages; of tools, one can be named. */
function refuseUnusedSelection(flags: Flags): void {
  const { part } = flags;
  if (part === undefined || part === 'messages') return;
  const names = [...SELECTION_NAMES, 'sort'] as const;
  const unused = names.find((name) => flags[name] !== undefined && !(name === 'tool' && part === 'tools'));
  if (unused === undefined) return;
  throw new CtxError('usage', `--${unused} applies to messages, and --part ${part} prints none`, {
    hint: 'leave one of them out',
  });
}
