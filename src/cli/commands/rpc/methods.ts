import * as z from 'zod/mini';
import { describeSchema } from '#base/schema.js';
import { didYouMean } from '#base/suggestion.js';

/** The words of a command line that a method is a call of. */
export interface CommandWords {
  readonly args: readonly (string | undefined)[];
  /** Values as they would be written; true for a flag without one. */
  readonly flags: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** A method of `ctx rpc`: a reading command under a name of its own, with parameters instead of flags. */
export interface RpcMethod {
  readonly name: string;
  readonly command: string;
  readonly params: z.ZodMiniObject;
  words(params: Readonly<Record<string, never>>): CommandWords;
}

function defineMethod<const Shape extends z.core.$ZodLooseShape>(
  [name, command]: readonly [name: string, command: string],
  shape: Shape,
  words: (params: z.infer<z.ZodMiniObject<Shape, z.core.$strict>>) => CommandWords,
): RpcMethod {
  return {
    name,
    command,
    params: z.strictObject({ ...shape, ...SIZE }),
    words: words as RpcMethod['words'],
  };
}

const text = z.exactOptional(z.string().check(z.maxLength(10_000)));
const many = z.exactOptional(z.array(z.string().check(z.maxLength(1000))).check(z.maxLength(100)));
const count = z.exactOptional(z.int().check(z.positive(), z.maximum(999_999_999)));
const toggle = z.exactOptional(z.boolean());

/** The most tokens of an answer that may be asked for: no text is longer than the longest string. */
const MOST_TOKENS = 50_000_000;

/** The parameters of every method. */
const SIZE = {
  /** The members of the answer, such as `meta.size`; of items, those of each. */
  fields: many,
  /** No answer is larger, in estimated tokens. */
  maxTokens: z.exactOptional(z.int().check(z.positive(), z.maximum(MOST_TOKENS))),
};

const SESSION =
  'A session file, a session id or a prefix of it; "latest" (the default), the newest session of the working directory, or else of Pi, or of another agent if Pi has none; or "latest:AGENT", such as "latest:claude-code", or of all: "latest:all".';
const session = describeSchema(SESSION, text);

const PLACE = {
  file: session,
  revision: describeSchema(
    'An entry: HEAD (the default), an id or a prefix of it, HEAD~N, @{request:N}, @{turn:N} or @{compaction}.',
    text,
  ),
};

/** The words of a command with a session and `--at`. Parameters that are no flags of it have no effect. */
function toWordsAtRevision({
  file,
  revision,
  ...flags
}: {
  readonly file?: string;
  readonly revision?: string;
}): CommandWords {
  return { args: [file], flags: { at: revision, ...flags } };
}

/** The members of an envelope that come with any part of it. */
const FRAME = ['schema', 'schemaVersion', 'session', 'at', 'meta'];

/** The fields that an answer is reduced to; undefined: it is whole. */
export function readFields(params: Readonly<Record<string, unknown>>): string | undefined {
  const { fields, parts } = params as { readonly fields?: readonly string[]; readonly parts?: readonly string[] };
  return (fields ?? (parts && [...FRAME, ...parts]))?.join(',');
}

/** The methods of `ctx rpc`. None of them writes. */
export const rpcMethods: readonly RpcMethod[] = [
  defineMethod(
    ['get_context', 'show'],
    {
      ...PLACE,
      /** The parts of the envelope; by default all. */
      parts: z.exactOptional(z.array(z.enum(['system', 'tools', 'messages', 'options']))),
      /** true: include the messages that were logged for this request only. */
      ephemeral: toggle,
      lenient: toggle,
      limit: count,
      baseline: text,
      /** `markdown`: the answer is `{ markdown }`, a page for people. */
      format: z.exactOptional(z.enum(['json', 'markdown'])),
      /** true: include the whole texts of messages, in Markdown. */
      full: toggle,
    },
    toWordsAtRevision,
  ),
  defineMethod(
    ['list_sessions', 'ls'],
    {
      folder: describeSchema("The folder to list (default: the agents' own folders).", text),
      agent: describeSchema(
        'The agent, such as pi, claude-code or codex, or all (default: those that ctx ls lists).',
        text,
      ),
      cwd: describeSchema('Only sessions of this working directory or below it.', text),
      since: describeSchema('Only sessions that changed since: 2026-03-02, or 7d back from now.', text),
      until: text,
      model: describeSchema('Only sessions whose model matches this regular expression.', text),
      max: count,
    },
    ({ folder, ...flags }) => ({ args: [folder], flags }),
  ),
  defineMethod(
    ['list_entries', 'log'],
    {
      file: session,
      range: describeSchema('Entries, such as HEAD~20..HEAD~10.', text),
      max: count,
      type: describeSchema('Only entries of this type, such as message or compaction.', text),
      role: text,
      tool: describeSchema('Only calls and results of this tool.', text),
    },
    ({ file, range, ...flags }) => ({ args: [file, range], flags }),
  ),
  defineMethod(['read_message', 'cat'], PLACE, ({ file, revision }) => ({ args: [file, revision], flags: {} })),
  defineMethod(
    ['search', 'grep'],
    {
      ...PLACE,
      file: describeSchema(
        `${SESSION} Many sessions: "all", those of an agent such as "all:claude-code", or a folder.`,
        text,
      ),
      pattern: describeSchema('A JavaScript regular expression.', z.string().check(z.maxLength(10_000))),
      where: describeSchema(
        'What the model sees (context, the default), what it no longer sees (hidden), the path, or all branches.',
        z.exactOptional(z.enum(['context', 'path', 'all', 'hidden'])),
      ),
      fixed: toggle,
      ignoreCase: toggle,
      context: count,
      max: count,
      role: text,
      type: text,
      tool: text,
    },
    ({ file = 'latest', revision, pattern, ignoreCase, ...flags }) => ({
      args: [file],
      flags: { regexp: pattern, at: revision, 'ignore-case': ignoreCase, ...flags },
    }),
  ),
  defineMethod(
    ['diff_context', 'diff'],
    {
      file: session,
      from: describeSchema('The entry before, such as HEAD~6.', text),
      to: describeSchema('The entry after (default: HEAD).', text),
      otherFile: describeSchema('The session of `to`, if it is another one.', text),
    },
    (params) => {
      const { file = 'latest', from, to, otherFile } = params;
      const sides = [`${file}@${from ?? 'HEAD'}`, `${otherFile}@${to ?? 'HEAD'}`];
      const revisions = to === undefined ? [from] : [from ?? 'HEAD', to];
      return { args: otherFile === undefined ? [file, ...revisions] : sides, flags: {} };
    },
  ),
  defineMethod(
    ['explain_cache', 'cache'],
    {
      ...PLACE,
      /** Every request, not only those that broke the cache. */
      each: toggle,
      block: count,
      minimum: count,
      retention: text,
      baseline: text,
    },
    toWordsAtRevision,
  ),
  defineMethod(
    ['check_loss', 'loss'],
    {
      ...PLACE,
      pi: text,
      /** Every entry that was removed, and every fact, not only what is missing. */
      full: toggle,
    },
    ({ file, revision, ...flags }) => ({ args: [file, revision], flags }),
  ),
  defineMethod(['status', 'status'], { ...PLACE, limit: count, baseline: text }, toWordsAtRevision),
  defineMethod(
    ['find_entries', 'find'],
    {
      /** All must be in one entry; a phrase is in double quotes, and compact* finds words that begin so. */
      words: z.string().check(z.maxLength(10_000)),
      /** The sessions to search, such as `all:codex`; by default all. */
      in: text,
      cwd: text,
      since: text,
      until: text,
      role: text,
      where: z.exactOptional(z.enum(['all', 'context', 'hidden'])),
      max: count,
    },
    ({ words, ...flags }) => ({ args: [words], flags }),
  ),
  defineMethod(
    ['get_stats', 'stats'],
    {
      sessions: many,
      /** One or several of day, week, month, hour, project, model, branch, session, agent, subagent, tool. */
      by: many,
      since: text,
      until: text,
      timezone: text,
      withSubagents: toggle,
    },
    ({ sessions = [], by, withSubagents, ...flags }) => ({
      args: sessions,
      flags: { by: by?.join(','), 'with-subagents': withSubagents, ...flags },
    }),
  ),
  defineMethod(
    ['get_overhead', 'overhead'],
    { sessions: many, since: text, until: text },
    ({ sessions = [], ...flags }) => ({ args: sessions, flags }),
  ),
];

/** The method with a name that the program knows. */
export function findMethod(name: string): RpcMethod {
  const method = rpcMethods.find((one) => one.name === name);
  if (!method) throw new Error(`there is no method ${name}`);
  return method;
}

/** A hint for a name that no method has. */
export function suggestMethod(name: string): string {
  const names = rpcMethods.map((method) => method.name);
  return didYouMean(name, names, `choose one of ${names.join(', ')}`);
}
