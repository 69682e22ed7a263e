import { parseJson } from '#base/json.js';

/** An answer of a provider, as the file of its agent records it. Each is listed once. */
export interface RawAnswer {
  readonly model: string;
  /** Prompt tokens that were neither read from a cache nor written to one. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that lives for one hour. */
  readonly cacheWrite1h: number;
  /** In dollars, where the agent records it. */
  readonly cost: number | null;
  /** Whether it answers a request of the conversation; if not, it is a summary. */
  readonly isRequest: boolean;
  /** Whether the conversation at the end of the file goes back to it. */
  readonly isOnPath: boolean;
}

/** A line as it is: the schemas of ctx are what this does without. */
// oxlint-disable-next-line typescript/no-explicit-any
type Line = Readonly<Record<string, any>>;

/**
 * Reads the answers in a file from its lines alone: an independent count beside that of ctx, which reads entries. It knows
 * only what the formats of the agents say.
 */
export function readRawAnswers(agent: string, text: string): readonly RawAnswer[] {
  switch (agent) {
    case 'claude-code':
      return readClaudeCode(linesOf(text));
    case 'codex':
      return readCodex(linesOf(text));
    case 'gemini-cli':
      return readGemini(linesOf(text));
    case 'qwen-code':
      return readQwen(linesOf(text));
    case 'opencode':
      return readOpencode(JSON.parse(text) as Line);
    default:
      return readPi(linesOf(text));
  }
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    const value = parseJson(line);
    return typeof value === 'object' && value !== null ? [value as Line] : [];
  });
}

/** The ids from the end of a file back to its root. */
function pathOf(lines: readonly Line[], end: Line | undefined, key: string, parents: readonly string[]): Set<string> {
  const byId = new Map(lines.map((line) => [line[key] as string, line]));
  const path = new Set<string>();
  for (let at = end; at && !path.has(at[key]);) {
    path.add(at[key]);
    const line: Line = at;
    at = byId.get(parents.map((parent) => line[parent]).find((id) => typeof id === 'string') ?? '');
  }
  return path;
}

/** Every entry has an id and a parent; the last entry is the end. Summaries record the usage of their own call. */
function readPi(lines: readonly Line[]): readonly RawAnswer[] {
  // The first version has no ids: each entry follows the one before.
  const entries: readonly Line[] = lines
    .filter(({ type }) => type !== 'session')
    .map((line, at) => ('id' in line ? line : { ...line, id: `${at}`, parentId: at === 0 ? null : `${at - 1}` }));
  const path = pathOf(entries, entries.at(-1), 'id', ['parentId']);
  return entries
    .map((entry) => ({ ...entry, usage: entry['message']?.usage ?? entry['usage'] }))
    .filter(({ usage }: Line) => typeof usage === 'object')
    .map(({ id, type, message, usage }: Line) => ({
      model: message ? `${message.provider}/${message.model}` : type,
      input: usage.input,
      output: usage.output,
      cacheRead: usage.cacheRead,
      cacheWrite: usage.cacheWrite,
      cacheWrite1h: usage.cacheWrite1h ?? 0,
      cost: usage.cost?.total ?? null,
      isRequest: type === 'message',
      isOnPath: path.has(id),
    }));
}

/** An answer has a line for each of its blocks, with one message id; the last line has the final usage. */
function readClaudeCode(lines: readonly Line[]): readonly RawAnswer[] {
  const own = lines.filter(({ uuid, isSidechain }) => typeof uuid === 'string' && isSidechain !== true);
  const ids = new Set(own.map(({ uuid }) => uuid as unknown));
  // A compaction begins anew; what it follows may be missing in the file.
  const chain = own.map((line, at): Line => {
    const isCut = line['subtype'] === 'compact_boundary' && !ids.has(line['logicalParentUuid']);
    return isCut ? { ...line, logicalParentUuid: own[at - 1]?.['uuid'] } : line;
  });
  const parents = new Set(chain.map(({ parentUuid }) => parentUuid as unknown));
  const end = chain.findLast((line) => !parents.has(line['uuid']));
  const path = pathOf(chain, end, 'uuid', ['parentUuid', 'logicalParentUuid']);
  const answers = new Map<string, Line[]>();
  for (const line of chain)
    if (line['type'] === 'assistant' && line['message'].model !== '<synthetic>')
      answers.set(line['message'].id, [...(answers.get(line['message'].id) ?? []), line]);
  return [...answers.values()].map((parts) => {
    const { model, usage } = (parts.at(-1) as Line)['message'];
    return {
      model: `anthropic/${model}`,
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0,
      cacheWrite1h: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
      cost: null,
      isRequest: true,
      isOnPath: parts.some(({ uuid }) => path.has(uuid)),
    };
  });
}

/** Counts of tokens are written after each answer, often twice with the same totals. A rollback takes back turns of the user. */
function readCodex(lines: readonly Line[]): readonly RawAnswer[] {
  const answers: (Omit<RawAnswer, 'isOnPath'> & { isOnPath: boolean; turn: number })[] = [];
  let [turn, model, totals] = [0, '', ''];
  for (const { type, payload } of lines) {
    if (type === 'turn_context') model = `openai/${payload.model}`;
    const text = String(payload?.content?.[0]?.text ?? '');
    if (type === 'response_item' && payload.role === 'user' && !/^(?:<|# AGENTS\.md)/.test(text)) turn += 1;
    if (type === 'event_msg' && payload.type === 'thread_rolled_back') {
      for (const answer of answers) if (answer.turn > turn - payload.num_turns) answer.isOnPath = false;
      turn -= payload.num_turns;
    }
    const info = type === 'event_msg' && payload.type === 'token_count' ? payload.info : null;
    if (!info || JSON.stringify(info.total_token_usage) === totals) continue;
    totals = JSON.stringify(info.total_token_usage);
    const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = info.last_token_usage;
    const of = { input: input - cached, output, cacheRead: cached, cacheWrite: 0, cacheWrite1h: 0, cost: null };
    answers.push({ model, ...of, isRequest: true, isOnPath: true, turn });
  }
  return answers;
}

/** A record replaces an earlier one with its id; a rewind takes back a record and all after it. */
function readGemini(lines: readonly Line[]): readonly RawAnswer[] {
  const records = new Map<string, Line>();
  const rewound = new Set<string>();
  let path: string[] = [];
  for (const line of lines) {
    const target = line['$rewindTo'];
    if (target !== undefined) {
      for (const id of path.slice(path.indexOf(target))) rewound.add(id);
      path = path.slice(0, path.indexOf(target));
    }
    if (typeof line['id'] !== 'string' || line['sessionId'] !== undefined) continue;
    if (!records.has(line['id'])) path.push(line['id']);
    records.set(line['id'], line);
  }
  return [...records.values()].flatMap(({ id, model, tokens }) =>
    tokens
      ? [
          {
            model: `google/${model}`,
            input: tokens.input - tokens.cached,
            output: tokens.output + (tokens.thoughts ?? 0),
            cacheRead: tokens.cached,
            cacheWrite: 0,
            cacheWrite1h: 0,
            cost: null,
            isRequest: true,
            isOnPath: !rewound.has(id),
          },
        ]
      : [],
  );
}

/** Like Pi, with the counts of Gemini's interface, whose candidates include what was thought. */
function readQwen(lines: readonly Line[]): readonly RawAnswer[] {
  const path = pathOf(lines, lines.at(-1), 'uuid', ['parentUuid']);
  return lines
    .filter(({ usageMetadata }) => usageMetadata)
    .map(({ uuid, model, usageMetadata: usage }) => ({
      model: `qwen/${model}`,
      input: usage.promptTokenCount - usage.cachedContentTokenCount,
      output: usage.candidatesTokenCount,
      cacheRead: usage.cachedContentTokenCount,
      cacheWrite: 0,
      cacheWrite1h: 0,
      cost: null,
      isRequest: true,
      isOnPath: path.has(uuid),
    }));
}

/** A revert takes back a message and all after it. */
function readOpencode({ info, messages }: Line): readonly RawAnswer[] {
  const reverted = messages.findIndex((message: Line) => message['info'].id === info.revert?.messageID);
  return messages.flatMap(({ info: { role, modelID, providerID, tokens, cost } }: Line, at: number) =>
    role === 'assistant' && tokens
      ? [
          {
            model: `${providerID}/${modelID}`,
            input: tokens.input,
            output: tokens.output + tokens.reasoning,
            cacheRead: tokens.cache.read,
            cacheWrite: tokens.cache.write,
            cacheWrite1h: 0,
            cost,
            isRequest: true,
            isOnPath: reverted === -1 || at < reverted,
          },
        ]
      : [],
  );
}

/** Dollars for a million tokens, as providers list them. */
const PRICES: Readonly<Record<string, readonly [input: number, output: number, read: number, write: number]>> = {
  'anthropic/claude-opus-4-6': [5, 25, 0.5, 6.25],
  'anthropic/claude-sonnet-4-5': [3, 15, 0.3, 3.75],
  'anthropic/claude-haiku-4-5': [1, 5, 0.1, 1.25],
  'openai/gpt-5.2-codex': [1.75, 14, 0.175, 0],
  'openai/gpt-5.3-codex': [1.75, 14, 0.175, 0],
  'google/gemini-3-flash': [0.5, 3, 0.05, 0],
  'google/gemini-3-pro': [2, 12, 0.2, 0],
  'qwen/qwen3-coder-plus': [1, 5, 0.1, 0],
};
/** A write for one hour costs twice the input. */
const ONE_HOUR = 2;

/** The dollars of an answer: recorded, else listed; null for a model without a listed price. */
export function priceOf({ model, cost, input, output, cacheRead, cacheWrite, cacheWrite1h }: RawAnswer): number | null {
  if (cost !== null) return cost;
  const prices = PRICES[model.replace(/-\d{8}$/, '')];
  if (!prices) return null;
  const [perInput, perOutput, perRead, perWrite] = prices;
  const writes = (cacheWrite - cacheWrite1h) * perWrite + cacheWrite1h * ONE_HOUR * perInput;
  return (input * perInput + output * perOutput + cacheRead * perRead + writes) / 1_000_000;
}
