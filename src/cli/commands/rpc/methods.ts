import * as z from 'zod/mini';
import { describeSchema } from '#base/schema.js';
import { didYouMean } from '#base/suggestion.js';
import { type CommandWords, count, defineMethod, type RpcMethod, text, texts, toggle } from './define-method.js';

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

/** The methods of `ctx rpc`. None of them writes. */
export const rpcMethods: readonly RpcMethod[] = [
  defineMethod({
    name: 'get_context',
    command: 'show',
    params: {
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
    toWords: toWordsAtRevision,
  }),
  defineMethod({
    name: 'list_sessions',
    command: 'ls',
    params: {
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
    toWords: ({ folder, ...flags }) => ({ args: [folder], flags }),
  }),
  defineMethod({
    name: 'list_entries',
    command: 'log',
    params: {
      file: session,
      range: describeSchema('Entries, such as HEAD~20..HEAD~10.', text),
      max: count,
      type: describeSchema('Only entries of this type, such as message or compaction.', text),
      role: text,
      tool: describeSchema('Only calls and results of this tool.', text),
    },
    toWords: ({ file, range, ...flags }) => ({ args: [file, range], flags }),
  }),
  defineMethod({
    name: 'read_message',
    command: 'cat',
    params: PLACE,
    toWords: ({ file, revision }) => ({ args: [file, revision], flags: {} }),
  }),
  defineMethod({
    name: 'search',
    command: 'grep',
    params: {
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
    toWords: ({ file = 'latest', revision, pattern, ignoreCase, ...flags }) => ({
      args: [file],
      flags: { regexp: pattern, at: revision, 'ignore-case': ignoreCase, ...flags },
    }),
  }),
  defineMethod({
    name: 'diff_context',
    command: 'diff',
    params: {
      file: session,
      from: describeSchema('The entry before, such as HEAD~6.', text),
      to: describeSchema('The entry after (default: HEAD).', text),
      otherFile: describeSchema('The session of `to`, if it is another one.', text),
    },
    toWords({ file = 'latest', from, to, otherFile }) {
      if (otherFile !== undefined)
        return { args: [`${file}@${from ?? 'HEAD'}`, `${otherFile}@${to ?? 'HEAD'}`], flags: {} };
      const revisions = to === undefined ? [from] : [from ?? 'HEAD', to];
      return { args: [file, ...revisions], flags: {} };
    },
  }),
  defineMethod({
    name: 'explain_cache',
    command: 'cache',
    params: {
      ...PLACE,
      /** Every request, not only those that broke the cache. */
      each: toggle,
      block: count,
      minimum: count,
      retention: text,
      baseline: text,
    },
    toWords: toWordsAtRevision,
  }),
  defineMethod({
    name: 'check_loss',
    command: 'loss',
    params: {
      ...PLACE,
      pi: text,
      /** Every entry that was removed, and every fact, not only what is missing. */
      full: toggle,
    },
    toWords: ({ file, revision, ...flags }) => ({ args: [file, revision], flags }),
  }),
  defineMethod({
    name: 'status',
    command: 'status',
    params: { ...PLACE, limit: count, baseline: text },
    toWords: toWordsAtRevision,
  }),
  defineMethod({
    name: 'find_entries',
    command: 'find',
    params: {
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
    toWords: ({ words, ...flags }) => ({ args: [words], flags }),
  }),
  defineMethod({
    name: 'get_stats',
    command: 'stats',
    params: {
      sessions: texts,
      /** One or several of day, week, month, hour, project, model, branch, session, agent, subagent, tool. */
      by: texts,
      since: text,
      until: text,
      timezone: text,
      withSubagents: toggle,
    },
    toWords: ({ sessions = [], by, withSubagents, ...flags }) => ({
      args: sessions,
      flags: { by: by?.join(','), 'with-subagents': withSubagents, ...flags },
    }),
  }),
  defineMethod({
    name: 'get_overhead',
    command: 'overhead',
    params: { sessions: texts, since: text, until: text },
    toWords: ({ sessions = [], ...flags }) => ({ args: sessions, flags }),
  }),
];

interface Place {
  readonly file?: string;
  readonly revision?: string;
}

/** The words of a command with a session and `--at`. Parameters that are no flags of it have no effect. */
function toWordsAtRevision({ file, revision, ...flags }: Place): CommandWords {
  return { args: [file], flags: { at: revision, ...flags } };
}

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
