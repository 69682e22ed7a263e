import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';
import { ctxOnDisk } from '../support/disk-io.js';
import { anthropicPieces } from './claude-code.js';
import { openaiPieces, shownRequest } from './codex.js';
import { blocksOf, differences, type Piece, shownPieces, type Unrecorded } from './compare.js';
import { copyIn, type CopyingClient, LATER, runCtx } from './copies.js';

/** The file of a patch, in the folder in which a client works. */
const PATCH = 'patch.json';

/** The commands that make a copy: what follows the name of the file. A command may be followed by others, on its copy. */
const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  prune: [['prune', '--strategy', 'distill', '--recent-turns', '1']],
  compact: [['compact', '--summary', 'summary.txt', '--keep-recent', '200']],
  extract: [['extract', '@{turn:-1}~1']],
  revert: [
    ['compact', '--summary', 'summary.txt', '--keep-recent', '10'],
    ['revert', '@{compaction}'],
  ],
  fold: [['prune', '--strategy', 'fold', '--recent-turns', '1']],
  redact: [['redact', '--pattern', 'Answer [0-9]+|the file']],
  turns: [['prune', '--strategy', 'turns', '--recent-turns', '1']],
  repair: [['repair']],
  apply: [['apply', PATCH]],
};

export const COMMAND_NAMES = Object.keys(COMMANDS);

/** What became of a copy of a session. */
export interface Tried {
  readonly command: string;
  /**
   * known: the client is known to send something else than it reads; original: a request for the original differs, too, so the
   * copy is as good; none: there was nothing to change; refused: ctx wrote no copy.
   */
  readonly outcome: 'equal' | 'known' | 'original' | 'none' | 'refused' | 'differs';
  /** How it differs, or the known reasons. */
  readonly details: readonly string[];
  /** Whether the client then went back to an earlier turn of it. */
  readonly isRewound?: boolean;
}

/** A session of an agent, moved to the folder in which a client works, as a session of its own. */
export async function place(client: CopyingClient, text: string): Promise<string> {
  const { folder } = client.client.world;
  client.client.world.write('session.jsonl', text);
  const { header, cwd } = await readHeader(client, 'session.jsonl');
  const isCodex = client.codex !== undefined;
  const id = isCodex ? `019ca000-0000-7000-8000-${randomUUID().slice(-12)}` : randomUUID();
  let own = text.replaceAll(header, id);
  if (cwd !== null) own = own.replaceAll(JSON.stringify(cwd).slice(1, -1), folder);
  if (isCodex) own = own.replaceAll(/(?<="model_provider"\s*:\s*)"[^"]*"/g, '"scripted"');
  const name = isCodex
    ? path.join('sessions/2026/02/28', `rollout-2026-02-28T10-00-00-${id}.jsonl`)
    : path.join('projects', folder.replaceAll(/[^a-zA-Z0-9]/g, '-'), `${id}.jsonl`);
  const file = path.join(client.client.config, name);
  client.client.world.write(file, own);
  return file;
}

async function readHeader(client: CopyingClient, file: string) {
  const { session } = await show(client, file);
  const { id, cwd } = asObject(session);
  return { header: asText(id), cwd: asString(cwd) };
}

/** The context of a session. The copies are made by the built program; what they contain is read here, in this process. */
async function show({ env, client }: CopyingClient, file: string): Promise<JsonObject> {
  const world = { home: client.world.home, cwd: client.world.folder, env };
  const { stdout, stderr } = await ctxOnDisk(['show', path.resolve(world.cwd, file), '--json'], world);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as JsonObject;
}

/** Makes a copy of a session by a command, and lets the client go on with it, for three turns with tools and one more. */
export async function tryCopy(
  client: CopyingClient,
  file: string,
  command: string,
  reminders: Unrecorded['reminders'],
): Promise<Tried> {
  const original = readFileSync(file);
  client.client.world.write('summary.txt', 'The user asked for numbers.\n');
  if (command === 'apply') await writePatch(client, file);
  const made = await makeCopy(client, file, COMMANDS[command] ?? []);
  if (!('sessionId' in made)) return { command, ...made };
  const { requests, failures } = client.client.provider;
  const before = requests.length;
  const predicted = await show(client, made.file);
  await client.resume(made.sessionId, ...LATER);
  const first = compare(client, requests[before]?.body, predicted, { prompt: LATER[0], reminders });
  const queued = findQueued(made.file);
  const unanswered = findUnanswered(requests.slice(before), queued);
  const again = await show(client, made.file);
  const second = requests.length;
  await client.resume(made.sessionId, 'And once more');
  const next = compare(client, requests[second]?.body, again, { prompt: 'And once more', reminders, isAgain: true });
  const rewound = await tryRewind(client, made);
  const isRewound = rewound?.length === 0;
  const others = [
    ...unanswered,
    ...(rewound ?? []),
    ...(readFileSync(file).equals(original) ? [] : ['the original has changed']),
    ...failures.splice(0).map(String),
  ];
  const details = [...first.details, ...next.details, ...others];
  if (details.length > 0) {
    // The second request has the messages of the first, and differs from the prediction in them, too.
    const toExplain = [...(first.details.length > 0 ? first : next).details, ...others];
    const isOfOriginal = await differsItself(client, original.toString(), { details: toExplain, reminders });
    return { command, outcome: isOfOriginal ? 'original' : 'differs', details, isRewound };
  }
  const ofQueue =
    queued.size > 0 ? ['it answers the end of a task by itself, and takes the next prompt beside a result'] : [];
  const reasons = [...new Set([...first.reasons, ...next.reasons, ...ofQueue])];
  return { command, outcome: reasons.length === 0 ? 'equal' : 'known', details: reasons, isRewound };
}

/** Writes a patch with which the results of a session are shorter, and its last answer says something else. */
async function writePatch(client: CopyingClient, file: string): Promise<void> {
  const { messages } = await show(client, file);
  const { cached, uncached } = asObject(messages);
  const all = [...listObjects(cached), ...listObjects(uncached)];
  const last = all.findLastIndex(({ role }) => role === 'assistant');
  const changed = all.map((message, at) => {
    const text = message['role'] === 'toolResult' ? 'cut by a patch' : at === last ? 'said by a patch' : null;
    if (text === null) return message;
    const isText = ({ type }: JsonObject): boolean => type === 'text';
    const content = blocksOf(message['content']).map((block) => (isText(block) ? { ...block, text } : block));
    return { ...message, content };
  });
  const op = { op: 'messages_cached_replace', scope: 'cached', messages: changed, invalidateCacheReason: 'tried' };
  client.client.world.write(PATCH, JSON.stringify([op]));
}

/**
 * The prompts after which the client used no tool, or that it did not send. `queued`: those that it took while it answered, since a
 * task in the background had ended: they begin no turn.
 */
function findUnanswered(
  requests: readonly { readonly body: JsonObject }[],
  queued: ReadonlySet<string>,
): readonly string[] {
  const sent = JSON.stringify(requests.at(-1)?.body ?? null);
  return LATER.flatMap((prompt, at) => [
    ...(sent.includes(prompt) ? [] : [`prompt ${at + 1} was not sent`]),
    ...(queued.has(prompt) || sent.replaceAll(`echo later ${at}`, '').includes(`later ${at}`)
      ? []
      : [`no tool ran after prompt ${at + 1}`]),
  ]);
}

/** The prompts that a session of Claude Code records as words of the queue. */
function findQueued(file: string): ReadonlySet<string> {
  const lines = readFileSync(file, 'utf8').split('\n');
  const queued = lines.filter((line) => line.includes('"queued_command"'));
  return new Set(LATER.filter((prompt) => queued.some((line) => line.includes(JSON.stringify(prompt)))));
}

/**
 * Goes back to the answer to the first prompt after the copy was made: the later ones have to be gone. null if the client does
 * not go back in such a session.
 */
async function tryRewind(client: CopyingClient, { file, sessionId }: MadeCopy): Promise<readonly string[] | null> {
  const { requests } = client.client.provider;
  const before = requests.length;
  const isBack = await client.rewind({ file, sessionId }, LATER[1], REWOUND);
  if (!isBack) return null;
  const sent = JSON.stringify(requests[before]?.body ?? null);
  const wanted = [LATER[0], REWOUND].filter((prompt) => !sent.includes(prompt));
  const gone = [LATER[1], LATER[2]].filter((prompt) => sent.includes(prompt));
  return [
    ...wanted.map((prompt) => `rewound, it lacks "${prompt}"`),
    ...gone.map((prompt) => `rewound, it has "${prompt}"`),
  ];
}

const REWOUND = 'Say it in another way';

/** Whether a request for the session itself, which is no copy, differs from what `ctx` shows in the same blocks. */
export async function differsItself(
  client: CopyingClient,
  text: string,
  { details, reminders }: { readonly details: readonly string[]; readonly reminders: Unrecorded['reminders'] },
): Promise<boolean> {
  const file = await place(client, text);
  const predicted = await show(client, file);
  const { requests } = client.client.provider;
  const before = requests.length;
  const found = await client
    .resume(/[0-9a-f-]{36}(?=\.jsonl$)/.exec(file)?.[0] ?? '', LATER[0])
    .then(() => compare(client, requests[before]?.body, predicted, { prompt: LATER[0], reminders }).details)
    .catch(() => null);
  // The client does not open the original either. It may say so in other words after another command line.
  if (found === null || found.includes(SILENT))
    return details.includes(SILENT) || details.every((detail) => detail.includes('Error: '));
  const known = new Set(found.map(withoutPlace));
  return details.every((detail) => known.has(withoutPlace(detail)));
}

const SILENT = 'the client sent no request';

function withoutPlace(detail: string): string {
  return detail.replaceAll(/^block \d+ of \d+: |\(exit code.*|\/\S+\.jsonl\b/g, '');
}

/** A copy that a command wrote. */
interface MadeCopy {
  readonly file: string;
  readonly sessionId: string;
}

type Made = MadeCopy | { readonly outcome: 'none' | 'refused'; readonly details: readonly string[] };

async function makeCopy(client: CopyingClient, file: string, commands: readonly (readonly string[])[]): Promise<Made> {
  let made: Made = { file, sessionId: '' };
  for (const [name = '', ...args] of commands) {
    try {
      const document = await runCtx(client, name, made.file, ...args, '--install');
      if (document['copy'] === undefined) return { outcome: 'none', details: [] };
      made = copyIn(document);
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      // A copy without secrets is written, even if some of them may be left.
      if (stdout.startsWith('{') && stdout.includes('"ctx/copy"')) {
        made = copyIn(JSON.parse(stdout) as JsonObject);
        continue;
      }
      const text = `${name}: ${stderr || stdout}`.slice(0, 400);
      return {
        outcome: /nothing|no such|no revision|no message|time limit/i.test(text) ? 'none' : 'refused',
        details: [text],
      };
    }
  }
  return made;
}

/** What is compared: the blocks that were sent, and those that were predicted, with the prompt after them. */
interface Compared {
  readonly sent: readonly Piece[];
  readonly shown: readonly Piece[];
}

/** A difference between what a client reads and what it sends, which is no fault of a copy. */
interface KnownDifference {
  /** What the client does. */
  readonly reason: string;
  /** Takes the difference out of both. */
  level(compared: Compared): Compared;
}

/** Whether, and for which known reasons, a request is not the predicted one. */
interface Verdict {
  readonly details: readonly string[];
  readonly reasons: readonly string[];
}

/** How a request differs from the context that was predicted, and the prompt after it. */
function compare(
  client: CopyingClient,
  body: JsonObject | undefined,
  predicted: JsonObject,
  {
    prompt,
    reminders,
    isAgain = false,
  }: { readonly prompt: string; readonly reminders: Unrecorded['reminders']; readonly isAgain?: boolean },
): Verdict {
  if (body === undefined) return { details: [SILENT], reasons: [] };
  const isCodex = client.codex !== undefined;
  const sent = isCodex ? openaiPieces(body) : anthropicPieces(body);
  const shown = [...(isCodex ? shownRequest(predicted, sent) : shownPieces(predicted)), said(prompt)];
  const find = isCodex
    ? findCodexDifferences
    : (compared: Compared): readonly string[] => findClaudeDifferences(compared, reminders);
  const whole: Compared = { sent, shown };
  const details = find(whole);
  if (details.length === 0) return { details, reasons: [] };
  const level = (known: readonly KnownDifference[]): readonly string[] =>
    find(known.reduce<Compared>((compared, each) => each.level(compared), whole));
  const known = isCodex ? OF_CODEX : listKnownOfClaude(client, predicted, isAgain);
  const left = level(known);
  if (left.length > 0) return { details: left.slice(0, 6), reasons: [] };
  // Those without which it differs.
  const needed = known.reduce<readonly KnownDifference[]>((kept, each) => {
    const others = kept.filter((one) => one !== each);
    return level(others).length === 0 ? others : kept;
  }, known);
  return { details: [], reasons: needed.map(({ reason }) => reason) };
}

function findCodexDifferences({ sent, shown }: Compared): readonly string[] {
  // Reasoning may have no summary.
  const isSaid = ({ kind, text }: Piece): boolean => kind !== 'thinking' || text !== '';
  const all = sent.filter(isSaid);
  const wanted = shown.filter(isSaid);
  // What the client says about its settings may be between the history and the prompt.
  const known = [...all.slice(0, wanted.length - 1), ...all.slice(wanted.length - 1).slice(-1)];
  return differences(known, wanted, { reminders: 'ordered' });
}

function findClaudeDifferences({ sent, shown }: Compared, reminders: Unrecorded['reminders']): readonly string[] {
  const [before, since] = splitAfterModel(sent);
  const [known, rest] = splitAfterModel(shown);
  const isWord = ({ kind }: Piece): boolean => kind !== 'reminder';
  return [
    ...differences(before, known, { reminders, firstReminders: 9 }),
    // The client adds its reminders to the prompt.
    ...differences(since.filter(isWord), rest.filter(isWord), { reminders }),
  ];
}

/** The pieces up to the last one of the model, and those after it. */
function splitAfterModel(pieces: readonly Piece[]): readonly [readonly Piece[], readonly Piece[]] {
  const end = pieces.findLastIndex(({ from }) => from === 'model') + 1;
  return [pieces.slice(0, end), pieces.slice(end)];
}

/** Leaves pieces out of what was sent and of what was predicted. */
function without(isLeftOut: (piece: Piece) => boolean): KnownDifference['level'] {
  const keep = (pieces: readonly Piece[]): readonly Piece[] => pieces.filter((piece) => !isLeftOut(piece));
  return ({ sent, shown }) => ({ sent: keep(sent), shown: keep(shown) });
}

const OF_CLAUDE: readonly KnownDifference[] = [
  {
    reason: 'it answers words of the user at the end by itself, before it sends the prompt',
    level: without(({ from, text }) => from === 'model' && text === 'No response requested.'),
  },
  {
    reason: 'it leaves out line breaks that the model wrote before its thinking',
    level: without(({ from, kind, text }) => from === 'model' && kind === 'text' && text.trim() === ''),
  },
  {
    reason: 'it leaves out thinking with which a session ends',
    level({ sent, shown }) {
      const [known, rest] = splitAfterModel(shown);
      const end = known.findLastIndex(({ kind }) => kind !== 'thinking') + 1;
      return { sent, shown: [...known.slice(0, end), ...rest] };
    },
  },
  {
    reason: 'it calls the tool Task by its new name, Agent',
    level: ({ sent, shown }) => ({
      sent,
      shown: shown.map((piece) =>
        piece.kind === 'call' ? { ...piece, text: piece.text.replace(/^(\S+) Task /, '$1 Agent ') } : piece,
      ),
    }),
  },
];

/** What a client of Claude Code is known to do, beside what all versions do. */
function listKnownOfClaude(
  { claude }: CopyingClient,
  predicted: JsonObject,
  isAgain: boolean,
): readonly KnownDifference[] {
  const { version } = claude ?? {};
  return [
    ...OF_CLAUDE,
    leaveOutThinking(predicted),
    ...(version === '2.1.237' ? [SORTS_BY_TIME] : []),
    ...(isAgain ? [FORGETS_COMMANDS] : []),
  ];
}

const SORTS_BY_TIME: KnownDifference = {
  reason: 'it sends the results of calls at once in the order of their times, not in that of the file',
  level: ({ sent, shown }) => ({ sent: sortResults(sent), shown: sortResults(shown) }),
};

const FORGETS_COMMANDS: KnownDifference = {
  reason: 'once it is resumed again, it no longer sends the words of commands after which it answered by itself',
  level: without(
    ({ from, kind, text }) =>
      from === 'user' && kind === 'text' && /^<(?:command-name|local-command-stdout)>/.test(text),
  ),
};

/** The thinking of other models than the one with which the client goes on. */
function leaveOutThinking(predicted: JsonObject): KnownDifference {
  const { cached, uncached } = asObject(predicted['messages']);
  const others = [...listObjects(cached), ...listObjects(uncached)].filter(({ model }) => model !== MODEL);
  const thoughts = new Set(others.flatMap(({ content }) => listObjects(content).map(({ thinking }) => thinking)));
  return {
    reason: 'it leaves out the thinking of another model',
    level: without(({ kind, text }) => kind === 'thinking' && thoughts.has(text)),
  };
}

/** The model with which the clients are started. */
const MODEL = 'claude-sonnet-4-5';

/** Results that follow each other, in the order of their calls. */
function sortResults(pieces: readonly Piece[]): readonly Piece[] {
  const sorted: Piece[] = [];
  let results: Piece[] = [];
  const end = (): void => {
    sorted.push(...results.toSorted((a, b) => (callOf(a) < callOf(b) ? -1 : Number(callOf(a) > callOf(b)))));
    results = [];
  };
  for (const piece of pieces) {
    if (piece.from === 'tool') results.push(piece);
    else {
      end();
      sorted.push(piece);
    }
  }
  end();
  return sorted;
}

function callOf({ text }: Piece): string {
  return text.slice(0, text.indexOf(' '));
}

const OF_CODEX: readonly KnownDifference[] = [
  {
    reason: 'it sends the result of a call that has none directly after the call, between calls at once',
    level: ({ sent, shown }) => ({ sent, shown: followCalls(shown) }),
  },
  {
    reason: 'it sends its tools as an item, for models that get them so',
    level: without(({ text }) => text.startsWith('{"type":"additional_tools"')),
  },
  {
    reason: 'it sends the prompt after a compacted history, for models that get it as a message',
    level({ sent, shown: [prompt, ...shown] }) {
      const at = sent.findIndex(({ from, text }) => from === 'developer' && text === prompt?.text);
      return at < 0 || !prompt
        ? { sent, shown: prompt ? [prompt, ...shown] : shown }
        : { sent: sent.toSpliced(at, 1), shown };
    },
  },
  {
    reason: 'it cuts the middle out of long results',
    level({ sent, shown }) {
      const cut = new Map(sent.flatMap((piece) => (CUT.test(piece.text) ? [[callOf(piece), piece] as const] : [])));
      return {
        sent,
        shown: shown.map((piece) => (isCutOf(cut.get(callOf(piece)), piece) ? cut.get(callOf(piece))! : piece)),
      };
    },
  },
];

/** The pieces with each result `aborted` after its call. */
function followCalls(pieces: readonly Piece[]): readonly Piece[] {
  const isAborted = ({ from, text }: Piece): boolean => from === 'tool' && text.endsWith(' aborted');
  const aborted = new Map(pieces.filter((piece) => isAborted(piece)).map((piece) => [callOf(piece), piece]));
  return pieces.flatMap((piece) => {
    if (isAborted(piece)) return [];
    const result = piece.kind === 'call' ? aborted.get(callOf(piece)) : undefined;
    return result ? [piece, result] : [piece];
  });
}

const CUT = /…\d+ (?:tokens|chars) truncated…/;

/** Whether a result is another one without its middle. */
function isCutOf(cut: Piece | undefined, { from, text }: Piece): boolean {
  if (cut === undefined || from !== 'tool') return false;
  const [start = '', end = ''] = cut.text.split(CUT);
  return text.endsWith(end) && text.slice(0, 200) === start.slice(0, 200);
}

function said(text: string): Piece {
  return { from: 'user', kind: 'text', text };
}

/** Writes what became of a copy. */
export function report(file: string, line: string): void {
  writeFileSync(file, `${line}\n`, { flag: 'a' });
}
