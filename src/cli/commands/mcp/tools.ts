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

interface ToolDefinition<Shape extends z.core.$ZodLooseShape> extends Pick<McpTool, 'name' | 'description'> {
  /** The parameters, beside those of every tool. */
  readonly params: Shape;
  readonly toCall: (params: z.infer<z.ZodMiniObject<Shape, z.core.$strict>>) => MethodCall;
}

/** Defines a tool, and adds the parameters that every tool has. */
function defineTool<const Shape extends z.core.$ZodLooseShape>({
  name,
  description,
  params,
  toCall,
}: ToolDefinition<Shape>): McpTool {
  const maxTokens = describeSchema('Of the answer (default: 1000)', count);
  return { name, description, params: z.strictObject({ ...params, maxTokens }), toCall };
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

/** The tools of `ctx mcp`. None of them changes a session. An empty name or revision counts as one that is left out. */
export const mcpTools: readonly McpTool[] = [
  defineTool({
    name: 'context',
    description:
      "What fills a session's context window: tokens by kind and tool, limit, distance to compaction. With `part`: its items, largest first. With `from`: what changed since that entry.",
    params: { file, revision, part: z.exactOptional(z.enum(['messages', 'tools', 'system'])), from: text },
    toCall({ from, part, revision: named, ...session }) {
      const at = named || undefined;
      if (from !== undefined) return { method: 'diff_context', params: { ...session, from, to: at } };
      const params = { ...session, revision: at };
      return part ? { method: 'get_context', params: { ...params, parts: [part] } } : { method: 'status', params };
    },
  }),
  defineTool({
    name: 'cost',
    description:
      'What sessions cost, in dollars and tokens, by model and kind of token. With `overhead`: what each CLAUDE.md, MCP server, tool, skill, agent and hook adds to every request, and whether it was used.',
    params: { file: files, by: z.exactOptional(z.enum(GROUPS)), since, overhead: toggle },
    toCall({ file: name, by, overhead, ...period }) {
      const sessions = name ? [name] : undefined;
      if (overhead) return { method: 'get_overhead', params: { ...period, sessions } };
      return { method: 'get_stats', params: { ...period, sessions, by: by && [by] } };
    },
  }),
  defineTool({
    name: 'cache',
    description:
      'Why the prompt cache missed: sums, then each break with its cause, entry, and tokens billed again, newest first.',
    params: { file, revision },
    toCall: (params) => ({ method: 'explain_cache', params }),
  }),
  defineTool({
    name: 'loss',
    description:
      'What the last compaction lost: instructions, decisions, errors, edits, results that its summary omits.',
    params: { file, revision },
    toCall: (params) => ({ method: 'check_loss', params }),
  }),
  defineTool({
    name: 'find',
    description:
      'Finds sessions by `words`, else entries by `pattern`, else lists the newest sessions. Use it for past conversations.',
    params: {
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
    toCall({ words, pattern, file: name, where, max, ...period }) {
      const place = name || undefined;
      if (pattern !== undefined) return { method: 'search', params: { pattern, file: place, where, max } };
      if (words !== undefined) {
        const most = max ?? MOST_FOUND;
        return { method: 'find_entries', params: { words, in: place, where, ...period, max: most } };
      }
      return { method: 'list_sessions', params: { folder: name ?? 'all', ...period, max } };
    },
  }),
  defineTool({
    name: 'read',
    description:
      'Reads one entry of a session, or a range A..B: message, tool call, result or summary. Without `revision`: lists the newest entries.',
    params: { file, revision: describeSchema('As for context, or A..B', text), role: text, tool: text, max: count },
    toCall({ file: session, revision: at, ...selection }) {
      if (at !== undefined) return { method: 'read_message', params: { file: session, revision: at } };
      return { method: 'list_entries', params: { file: session, ...selection } };
    },
  }),
];
