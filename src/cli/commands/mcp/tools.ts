import * as z from 'zod/mini';
import { describeSchema } from '#base/schema.js';
import type { Params } from '../rpc/call.js';

/** A call of a method of `ctx rpc`. */
interface MethodCall {
  readonly method: string;
  readonly params: Params;
}

/** A tool of `ctx mcp`: a question of an agent, which one of several methods answers. */
export interface McpTool {
  readonly name: string;
  /** The description for a model that chooses a tool. */
  readonly description: string;
  readonly params: z.ZodMiniObject;
  toCall(params: Params): MethodCall;
}

function defineTool<const Shape extends z.core.$ZodLooseShape>(
  name: string,
  description: string,
  shape: Shape,
  toCall: (params: z.infer<z.ZodMiniObject<Shape, z.core.$strict>>) => MethodCall,
): McpTool {
  const params = z.strictObject({ ...shape, maxTokens: describeSchema('Of the answer (default: 1000)', count) });
  return { name, description, params, toCall };
}

const text = z.exactOptional(z.string().check(z.maxLength(10_000)));
const count = z.exactOptional(z.int().check(z.positive(), z.maximum(999_999_999)));
const toggle = z.exactOptional(z.boolean());

const file = describeSchema('File, id, "latest" (default: the newest session of this folder) or "latest:AGENT"', text);
const files = describeSchema('As for the other tools, or a folder, "all", "all:AGENT"', text);
const revision = describeSchema('Entry id, HEAD (default), HEAD~N, @{request:N}, @{turn:N} or @{compaction}', text);
const since = describeSchema('Such as 2026-03-02 or 7d', text);

/** The groups of `ctx stats` that `cost` offers. */
const GROUPS = ['day', 'week', 'month', 'project', 'model', 'session', 'agent', 'subagent', 'tool'] as const;

/** The sessions that `find` lists at most, unless the call says otherwise. */
const MOST_FOUND = 5;

/** The tools of `ctx mcp`. None of them changes a session. */
export const mcpTools: readonly McpTool[] = [
  defineTool(
    'context',
    "What fills a session's context window: tokens by kind and tool, limit, distance to compaction. With `part`: its items, largest first. With `from`: what changed since that entry.",
    { file, revision, part: z.exactOptional(z.enum(['messages', 'tools', 'system'])), from: text },
    ({ from, part, revision: at, ...place }) => {
      if (from !== undefined) return { method: 'diff_context', params: { ...place, from, ...(at && { to: at }) } };
      const params = { ...place, ...(at && { revision: at }) };
      return part ? { method: 'get_context', params: { ...params, parts: [part] } } : { method: 'status', params };
    },
  ),
  defineTool(
    'cost',
    'What sessions cost, in dollars and tokens, by model and kind of token. With `overhead`: what each CLAUDE.md, MCP server, tool, skill, agent and hook adds to every request, and whether it was used.',
    { file: files, by: z.exactOptional(z.enum(GROUPS)), since, overhead: toggle },
    ({ file: sessions, by, overhead, ...period }) => ({
      method: overhead ? 'get_overhead' : 'get_stats',
      params: { ...period, ...(sessions && { sessions: [sessions] }), ...(by && !overhead && { by: [by] }) },
    }),
  ),
  defineTool(
    'cache',
    'Why the prompt cache missed: sums, then each break with its cause, entry, and tokens billed again, newest first.',
    { file, revision },
    (params) => ({ method: 'explain_cache', params }),
  ),
  defineTool(
    'loss',
    'What the last compaction lost: instructions, decisions, errors, edits, results that its summary omits.',
    { file, revision },
    (params) => ({ method: 'check_loss', params }),
  ),
  defineTool(
    'find',
    'Finds sessions by `words`, else entries by `pattern`, else lists the newest sessions. Use it for past conversations.',
    {
      words: describeSchema('Looked up in all sessions', text),
      pattern: describeSchema('JavaScript regular expression for one session', text),
      file: files,
      where: describeSchema(
        'hidden: what the model no longer sees',
        z.exactOptional(z.enum(['all', 'context', 'hidden'])),
      ),
      cwd: describeSchema('Only sessions of this folder', text),
      since,
      max: count,
    },
    ({ words, pattern, file: place, where, cwd, since: from, max }) => {
      const limits = { ...(max !== undefined && { max }) };
      if (pattern !== undefined)
        return {
          method: 'search',
          params: { pattern, ...(place && { file: place }), ...(where && { where }), ...limits },
        };
      const period = { ...(cwd !== undefined && { cwd }), ...(from !== undefined && { since: from }) };
      if (words !== undefined)
        return {
          method: 'find_entries',
          params: {
            max: MOST_FOUND,
            words,
            ...(place && { in: place }),
            ...(where && { where }),
            ...period,
            ...limits,
          },
        };
      return { method: 'list_sessions', params: { folder: place ?? 'all', ...period, ...limits } };
    },
  ),
  defineTool(
    'read',
    'Reads one entry of a session, or a range A..B: message, tool call, result or summary. Without `revision`: lists the newest entries.',
    { file, revision: describeSchema('As for context, or A..B', text), role: text, tool: text, max: count },
    ({ file: session, revision: at, ...selection }) => {
      const place = session === undefined ? {} : { file: session };
      if (at !== undefined) return { method: 'read_message', params: { ...place, revision: at } };
      return { method: 'list_entries', params: { ...place, ...selection } };
    },
  ),
];
