import type { EnvelopeOptions, EnvelopeStep } from '../context/build.js';
import type { EnvelopeContent } from '../context/content.js';
import type { ContextEnvelope } from '../context/envelope.js';
import { countTokens } from '../context/tokens.js';
import { CtxError, type Problem } from '../errors.js';
import { follow } from '../following/follow.js';
import { locateSession } from '../locate.js';
import { eachEnvelope, envelopeAt, openHere, type OpenSession } from '../open.js';
import { readBaseline, readImplementations } from '../read-json.js';
import type { Report, View } from '../render/define.js';
import { type Doc, line, span } from '../render/doc.js';
import { idText } from '../session/head.js';
import { fullDoc, markdownDoc } from '../views/envelope-view.js';
import { messageDoc, numbered } from '../views/message-view.js';
import { messagesDoc, overviewDoc } from '../views/overview.js';
import { optionsDoc, spaced, systemDoc, toolsDoc } from '../views/regions-view.js';
import type { EnvelopeLine } from '../schemas.js';
import { type Selection, selectMessages } from '../views/select.js';
import { titleOf } from '../views/title.js';
import { type CommandInput, defineCommand, type Outcome } from './define.js';
import { choice, number, pattern, text, toggle } from './flags.js';

const FLAGS = {
  at: text(
    'REV',
    'the entry to look at: HEAD, an id or a prefix of it, a label, REV~N, @{turn:N}, @{request:N}, @{compaction}',
  ),
  full: toggle('print everything, whatever its length'),
  part: choice('PART', ['system', 'tools', 'messages', 'options'], 'print one part of the envelope'),
  message: number('N', 'print message N, as numbered on the overview'),
  role: choice('ROLE', ['user', 'assistant', 'toolResult'], 'print the messages of a role'),
  tool: text('NAME', 'print the calls and results of a tool; with --part tools, its definition'),
  grep: pattern('RE', 'print the messages that a regular expression matches (any case)'),
  each: toggle('print a line of JSON for every entry of the path: hash, tokens, number of messages'),
  watch: toggle('show it again whenever something is written to the session, until interrupted'),
  baseline: text('FILE', 'JSON with parts, tools, options and limit that the session does not record'),
  limit: number('TOKENS', "the model's context window"),
  lenient: toggle('skip patch ops that break a rule instead of failing'),
  ephemeral: toggle('show messages that were logged for this request only, as uncached'),
  implementations: text('FILE', 'JSON list of the tool names that have an implementation'),
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'show',
  summary: 'Show what the model saw at an entry',
  description:
    'Replays a session from its root to an entry and shows the context envelope there: system prompt, tools, ' +
    'messages and options, each with where it comes from. Reads any version of Pi session file and changes nothing.',
  args: [
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, "latest" (the default), or - for standard input',
    },
  ],
  flags: FLAGS,
  examples: [
    'ctx show session.jsonl',
    'ctx show session.jsonl --at HEAD~3 --part messages',
    "ctx show session.jsonl --at '@{request:2}' --message 4 --full",
    'ctx show latest --limit 200k --json',
  ],
  async run(input) {
    const { io, args, flags } = input;
    refuseSelectionOfData(input);
    refuseSelectionOfParts(flags);
    if (flags.watch && flags.each)
      throw new CtxError('usage', '--watch and --each exclude one another', { hint: 'leave one of them out' });
    const file = locateSession(io, args[0] ?? 'latest');
    const options = await readOptions(input);
    if (flags.watch) return watch(input, file, options);
    const session = await openHere(io, file);
    if (flags.each) {
      // Hashing takes a part of Node that nothing else here needs.
      const { hashEnvelope } = await import('../context/hash.js');
      const problems = [...session.problems];
      const items = eachLine(eachEnvelope(session, flags.at, options), hashEnvelope, problems);
      return { kind: 'stream', items, format: 'json', end: () => ({ file, problems }) };
    }
    return report(session, envelopeAt(session, flags.at, options), flags);
  },
});

/** The envelope as it is, and again whenever something was written. */
function watch({ io, flags }: Input, file: string, options: EnvelopeOptions): Outcome {
  let problems: readonly Problem[] = [];
  async function* reports(): AsyncGenerator<readonly Report[]> {
    for await (const { session } of follow(io, file)) {
      const envelope = envelopeAt(session, flags.at, options);
      problems = envelope.meta.diagnostics;
      yield [{ data: envelope, doc: (view) => docOf(session, envelope, flags, view) }];
    }
  }
  return { kind: 'stream', isScreen: true, items: reports(), end: () => ({ file, problems }) };
}

function report(session: OpenSession, envelope: ContextEnvelope, given: Input['flags']): Outcome {
  const doc = (view: View): Doc => docOf(session, envelope, given, view);
  return { kind: 'report', report: { data: envelope, doc }, file: session.file, problems: envelope.meta.diagnostics };
}

async function readOptions({ io, flags }: Input): Promise<EnvelopeOptions> {
  return {
    baseline: flags.baseline === undefined ? undefined : await readBaseline(io.files, flags.baseline),
    implementations:
      flags.implementations === undefined ? undefined : await readImplementations(io.files, flags.implementations),
    limit: flags.limit,
    lenient: flags.lenient,
    ephemeral: flags.ephemeral,
  };
}

const SELECTING = ['full', 'part', 'message', 'role', 'tool', 'grep'] as const;

/** Data is always whole: a part of it under the name of the whole would mislead whoever reads it later. */
function refuseSelectionOfData({ flags, format }: Input): void {
  const unused = SELECTING.find((name) => flags[name] !== undefined);
  if ((format === 'json' || flags.each) && unused !== undefined) {
    throw new CtxError('usage', `--${unused} has no effect on JSON, which is always whole`, {
      hint: 'leave it out, and select with jq',
    });
  }
}

/** System, tools and options hold no messages; of tools, one can be named. */
function refuseSelectionOfParts({ part, message, role, tool, grep }: Input['flags']): void {
  if (part === undefined || part === 'messages') return;
  const selecting = { message, role, grep, tool: part === 'tools' ? undefined : tool };
  const unused = Object.entries(selecting).find(([, value]) => value !== undefined);
  if (!unused) return;
  throw new CtxError('usage', `--${unused[0]} selects messages, and --part ${part} prints none`, {
    hint: 'leave one of them out',
  });
}

function docOf(session: OpenSession, envelope: ContextEnvelope, given: Input['flags'], view: View): Doc {
  const isFull = given.full ?? false;
  const { part, tool } = given;
  if (part === 'tools') return toolsDoc(envelope, isFull, tool);
  const selection: Selection = { number: given.message, role: given.role, tool, pattern: given.grep };
  if (Object.values(selection).some((value) => value !== undefined)) return selectedDoc(envelope, selection, isFull);
  if (part === 'system') return systemDoc(envelope, isFull);
  if (part === 'options') return optionsDoc(envelope);
  if (part === 'messages')
    return isFull ? spaced(numbered(envelope).map((item) => messageDoc(item, true))) : messagesDoc(envelope, Infinity);
  if (view.format === 'markdown') return markdownDoc(envelope, isFull);
  const title = titleOf(session);
  return isFull ? fullDoc(envelope, title) : overviewDoc(envelope, title, view);
}

function selectedDoc(envelope: ContextEnvelope, selection: Selection, isFull: boolean): Doc {
  const found = selectMessages(numbered(envelope), selection);
  if (found.length === 0) return [line(span('no message matches', 'faint'))];
  return spaced(found.map((item) => messageDoc(item, isFull)));
}

/** What is noted on the way is added to `problems` when the last line has been taken. */
function* eachLine(
  steps: Iterable<EnvelopeStep>,
  hash: (content: EnvelopeContent) => string,
  problems: Problem[],
): Generator<Report> {
  let noted: readonly Problem[] = [];
  for (const { head, content, diagnostics } of steps) {
    noted = diagnostics;
    const data: EnvelopeLine = {
      schema: 'ctx/envelope-line',
      schemaVersion: 1,
      entryId: idText(head.id),
      line: head.line,
      type: head.type,
      envelopeSha256: hash(content),
      tokens: countTokens(content).total,
      messages: content.messages.cached.length,
    };
    yield { data, doc: () => [] };
  }
  for (const problem of noted) problems.push(problem);
}
