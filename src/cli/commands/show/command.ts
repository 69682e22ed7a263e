import { CtxError, type Problem } from '#base/errors.js';
import { locateSession } from '#cli/locate.js';
import { readBaseline, readImplementations } from '#cli/read-json.js';
import { followSession } from '#context/follow.js';
import { eachEnvelope, envelopeAt, type OpenSession, overviewAt } from '#context/open.js';
import type { EnvelopeOptions, EnvelopeStep } from '#context/replay/build.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeHash } from '#context/replay/hash.js';
import { type EnvelopeSummary, toOverview } from '#context/replay/overview.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { findSessionTitle } from '#context/words/message-text.js';
import { formatId } from '#session/heads/head.js';
import { type Doc, gap, line, type Printable, span, type View } from '#ui/doc/doc.js';
import { numberMessages, renderMessage } from '#ui/parts/message-view.js';
import { renderMessages, renderOverview } from '#ui/parts/overview.js';
import { renderOptions, renderSystemPrompt, renderTools, separateDocs } from '#ui/parts/regions-view.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { addFlagRule, choiceFlag, patternFlag, positiveFlag, rareFlag, textFlag, toggleFlag } from '../flags.js';
import { addModelList, openSessionFile, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { EnvelopeLine } from './document.js';
import {
  hasSelection,
  listSelectedLines,
  refuseUnknownTool,
  renderEnvelope,
  renderEnvelopeMarkdown,
  renderSelection,
} from './envelope-view.js';

const SELECTING_FLAGS = addFlagRule(
  { excludes: ['each'] },
  {
    part: choiceFlag('PART', ['system', 'tools', 'messages', 'options'], 'print one part of the envelope'),
    message: positiveFlag('N', 'print message N, as numbered in the overview'),
    role: choiceFlag('ROLE', ['user', 'assistant', 'toolResult', 'developer'], 'print only messages of this role'),
    tool: textFlag('NAME', 'print calls and results of this tool; with --part tools, its definition'),
    grep: patternFlag('RE', 'print only messages that match a regular expression, ignoring case'),
  },
);

const SELECTING = Object.keys(SELECTING_FLAGS) as readonly (keyof typeof SELECTING_FLAGS)[];

const FLAGS = {
  at: shared.at,
  full: { ...toggleFlag('print texts in full'), excludes: ['format json', 'each'] },
  ...SELECTING_FLAGS,
  sort: {
    ...choiceFlag('BY', ['tokens'], 'list the largest messages first'),
    excludes: ['format json', 'format markdown', 'full', 'each'],
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
}

interface EnvelopeReport extends Printable {
  readonly data: EnvelopeSummary;
  /** The selected part or messages as JSON; null for the whole envelope. */
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
    'ctx show session.jsonl',
    'ctx show session.jsonl --at HEAD~3 --part messages',
    "ctx show session.jsonl --at '@{request:2}' --message 2 --full",
    'ctx show latest --limit 200k',
  ],
  async run(input) {
    const { io, args, flags } = input;
    refuseSelectionOfParts(flags);
    const file = await locateSession(io, args[0] ?? 'latest');
    const options = await readOptions(input);
    if (flags.watch) return watch(input, file, options);
    const session = await openSessionFile(input, file);
    const method = await methodOf(session, flags, options);
    if (flags.each) return showEach(session, flags.at, { ...options, method });
    const report = reportOn(session, input, { ...options, method });
    const end = { file, problems: report.data.meta.diagnostics };
    return report.selected
      ? { kind: 'stream', items: report.selected, end: () => end }
      : { kind: 'report', report, ...end };
  },
});

function isSelecting(flags: Flags): boolean {
  return SELECTING.some((name) => flags[name] !== undefined);
}

/** The envelope as it is, and again whenever something was written. */
function watch(input: Input, file: string, options: EnvelopeOptions): Outcome {
  let problems: readonly Problem[] = [];
  async function* reports(): AsyncGenerator<readonly Printable[]> {
    for await (const { session } of followSession(input.io, file)) {
      const method = await methodOf(session, input.flags, options);
      const report = reportOn(session, input, { ...options, method });
      problems = report.data.meta.diagnostics;
      yield [...(report.selected ?? [report])];
    }
  }
  return { kind: 'stream', isScreen: true, items: reports(), end: () => ({ file, problems }) };
}

/** Builds the report. Without selecting flags the text view is one page, so most messages are never read. */
function reportOn(session: OpenSession, { flags, format }: Input, options: EnvelopeOptions): EnvelopeReport {
  if (format === 'text' && !flags.full && !isSelecting(flags)) {
    const data = overviewAt(session, flags.at, options);
    return {
      data,
      selected: null,
      doc: (view) => renderOverview(data, findSessionTitle(session), { ...view, bySize: flags.sort !== undefined }),
    };
  }
  const data = envelopeAt(session, flags.at, options);
  if (flags.tool !== undefined) refuseUnknownTool(data, flags.tool);
  const { method } = options;
  const selected = format === 'json' && isSelecting(flags) ? listSelectedLines(data, flags) : null;
  return { data, selected, doc: (view) => docOf(session, data, { ...flags, method }, view) };
}

/**
 * Loads a tokenizer only if a flag names one, since they are large. It remembers the texts that it counted, since one
 * context repeats those of the one before.
 */
async function methodOf(
  session: OpenSession,
  { tokenizer }: Flags,
  { baseline = {} }: EnvelopeOptions,
): Promise<TokenMethod | undefined> {
  if (!tokenizer) return undefined;
  const { methodFor } = await import('#analysis/stats/path-tally.js');
  const { name, count } = await methodFor(session, { tokenizer, baseline });
  const known = new Map<string, number>();
  return {
    name,
    count(words) {
      const counted = known.get(words) ?? count(words);
      known.set(words, counted);
      return counted;
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
    lenient: flags.lenient,
    ephemeral: flags.ephemeral,
  };
}

/** System, tools and options hold no messages; of tools, one can be named. */
function refuseSelectionOfParts({ part, message, role, tool, grep, sort }: Input['flags']): void {
  if (part === undefined || part === 'messages') return;
  const selecting = { message, role, grep, sort, tool: part === 'tools' ? undefined : tool };
  const unused = Object.entries(selecting).find(([, value]) => value !== undefined);
  if (!unused) return;
  throw new CtxError('usage', `--${unused[0]} applies to messages, and --part ${part} prints none`, {
    hint: 'leave one of them out',
  });
}

function docOf(session: OpenSession, envelope: ContextEnvelope, given: ShowQuery, view: View): Doc {
  const { part, method } = given;
  const isFull = given.full ?? false;
  if (part === 'options') return renderOptions(envelope);
  const some = partDoc(envelope, given, isFull);
  // If everything is shown, the sum tells how it was counted.
  if (some) return method ? [...some, gap, line(span(`tokens estimated (${method.name})`, 'faint'))] : some;
  if (view.format === 'markdown') return renderEnvelopeMarkdown(envelope, isFull);
  return renderEnvelope(envelope, findSessionTitle(session));
}

/** The selected part of the envelope, or messages; null for the whole envelope. */
function partDoc(envelope: ContextEnvelope, given: ShowQuery, isFull: boolean): Doc | null {
  const { part, tool } = given;
  if (part === 'tools') return renderTools(envelope, { isFull: isFull || tool !== undefined, only: tool });
  const items = numberMessages(envelope);
  if (hasSelection(given)) return renderSelection(items, given, isFull);
  if (part === 'system') return renderSystemPrompt(envelope, isFull);
  if (part !== 'messages') return null;
  return isFull
    ? separateDocs(items.map((item) => renderMessage(item, true)))
    : renderMessages(toOverview(envelope), { rows: Infinity, bySize: given.sort !== undefined });
}

/** A line of data for every entry from the root to a revision. */
async function showEach(
  session: OpenSession,
  revision: string | undefined,
  options: EnvelopeOptions,
): Promise<Outcome> {
  // Hashing needs a Node module that the rest of this command does not load.
  const { EnvelopeHash: Hash } = await import('#context/replay/hash.js');
  const problems = [...session.problems];
  const items = eachLine(eachEnvelope(session, revision, options), new Hash(), problems);
  return { kind: 'stream', items, format: 'json', end: () => ({ file: session.file, problems }) };
}

/** One report for each step. After the last one, the diagnostics are added to `problems`. */
function* eachLine(steps: Iterable<EnvelopeStep>, hash: EnvelopeHash, problems: Problem[]): Generator<Printable> {
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
