import * as z from 'zod/mini';

/** The words of a command line that a method is a call of. */
export interface Words {
  readonly args: readonly (string | undefined)[];
  /** Values as they would be written; true for a flag without one. */
  readonly flags: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** A method of `ctx rpc`: a reading command under a name of its own, with parameters instead of flags. */
export interface RpcMethod {
  readonly name: string;
  readonly command: string;
  readonly params: z.ZodMiniObject;
  words(params: Readonly<Record<string, never>>): Words;
}

function defineMethod<const Shape extends z.core.$ZodLooseShape>(
  name: string,
  command: string,
  shape: Shape,
  words: (params: z.infer<z.ZodMiniObject<Shape, z.core.$strict>>) => Words,
): RpcMethod {
  return { name, command, params: z.strictObject({ ...shape, ...SIZE }), words: words as RpcMethod['words'] };
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

/** A file, a session id or a prefix of it, or `latest`, the default; and an entry of it. */
const PLACE = { file: text, revision: text };

/** The members of an envelope that come with any part of it. */
const FRAME = ['schema', 'schemaVersion', 'session', 'at', 'meta'];

/** The fields that an answer is reduced to; undefined: it is whole. */
export function fieldsIn(params: Readonly<Record<string, unknown>>): string | undefined {
  const { fields, parts } = params as { readonly fields?: readonly string[]; readonly parts?: readonly string[] };
  return (fields ?? (parts && [...FRAME, ...parts]))?.join(',');
}

/** The methods of `ctx rpc`. None of them writes. */
export const methods: readonly RpcMethod[] = [
  defineMethod(
    'get_context',
    'show',
    {
      ...PLACE,
      /** The parts of the envelope; by default all. */
      parts: z.exactOptional(z.array(z.enum(['system', 'tools', 'messages', 'options']))),
      /** With the messages that were logged for this request only. */
      ephemeral: toggle,
      lenient: toggle,
      limit: count,
      baseline: text,
      /** `markdown`: the answer is `{ markdown }`, a page for people. */
      format: z.exactOptional(z.enum(['json', 'markdown'])),
      /** With the texts of messages in full, in Markdown. */
      full: toggle,
    },
    ({ file, revision, ephemeral, lenient, limit, baseline, full }) => ({
      args: [file],
      flags: { at: revision, ephemeral, lenient, limit, baseline, full },
    }),
  ),
  defineMethod(
    'list_sessions',
    'ls',
    { folder: text, cwd: text, since: text, until: text, model: text, max: count },
    ({ folder, cwd, since, until, model, max }) => ({ args: [folder], flags: { cwd, since, until, model, max } }),
  ),
  defineMethod(
    'list_entries',
    'log',
    { file: text, range: text, max: count, type: text, role: text, tool: text },
    (params) => {
      const { file, range, max: last, type, role, tool } = params;
      return { args: [file, range], flags: { last, type, role, tool } };
    },
  ),
  defineMethod('read_message', 'cat', PLACE, ({ file, revision }) => ({ args: [file, revision], flags: {} })),
  defineMethod(
    'search',
    'grep',
    {
      ...PLACE,
      pattern: z.string().check(z.maxLength(10_000)),
      where: z.exactOptional(z.enum(['context', 'path', 'all', 'hidden'])),
      fixed: toggle,
      ignoreCase: toggle,
      context: count,
      max: count,
      role: text,
      type: text,
      tool: text,
    },
    ({ file = 'latest', revision, pattern, ignoreCase, where, fixed, context, max, role, type, tool }) => ({
      args: [file],
      flags: { regexp: pattern, at: revision, 'ignore-case': ignoreCase, where, fixed, context, max, role, type, tool },
    }),
  ),
  defineMethod('diff_context', 'diff', { file: text, from: text, to: text, otherFile: text }, (params) => {
    const { file = 'latest', from, to, otherFile } = params;
    const sides = [`${file}@${from ?? 'HEAD'}`, `${otherFile}@${to ?? 'HEAD'}`];
    const revisions = to === undefined ? [from] : [from ?? 'HEAD', to];
    return { args: otherFile === undefined ? [file, ...revisions] : sides, flags: {} };
  }),
  defineMethod(
    'explain_cache',
    'cache',
    { ...PLACE, block: count, minimum: count, retention: text, baseline: text },
    ({ file, revision, ...flags }) => ({ args: [file], flags: { at: revision, ...flags } }),
  ),
  defineMethod('check_loss', 'loss', { ...PLACE, pi: text }, ({ file, revision, pi }) => ({
    args: [file, revision],
    flags: { pi },
  })),
  defineMethod(
    'status',
    'status',
    { ...PLACE, limit: count, baseline: text },
    ({ file, revision, limit, baseline }) => ({
      args: [file],
      flags: { at: revision, limit, baseline },
    }),
  ),
];
