/** What a request holds. */
export interface Content {
  readonly system: { readonly parts: readonly Named[]; readonly compiled: string };
  readonly tools: readonly Named[];
  readonly messages: { readonly cached: readonly unknown[]; readonly uncached: readonly unknown[] };
  readonly options: Readonly<Record<string, unknown>>;
}

interface Named {
  readonly name: string;
  readonly text?: string;
}

interface Start {
  readonly parts: readonly Named[];
  readonly tools: readonly Named[];
  readonly options: Readonly<Record<string, unknown>>;
}

type Step = { readonly message: unknown } | { readonly patch: readonly Op[] };
type Op = Readonly<Record<string, unknown>> & { readonly op: string };

/** The patch ops as the specification words them, written a second time and as plainly as can be. */
export function fold(start: Start, steps: readonly Step[]): Content {
  let { parts, tools, options } = start;
  let cached: readonly unknown[] = [];
  for (const step of steps) {
    if ('message' in step) {
      cached = [...cached, step.message];
      continue;
    }
    for (const op of step.patch) {
      if (op.op === 'system_part_set') {
        const part = { name: op['partName'] as string, text: op['text'] as string };
        const at = parts.findIndex(({ name }) => name === part.name);
        parts = at === -1 ? [...parts, part] : [...parts.slice(0, at), part, ...parts.slice(at + 1)];
      } else if (op.op === 'system_part_remove') parts = parts.filter(({ name }) => name !== op['partName']);
      else if (op.op === 'system_parts_replace') parts = op['parts'] as Named[];
      else if (op.op === 'tools_replace') tools = op['tools'] as Named[];
      else if (op.op === 'tools_remove')
        tools = tools.filter(({ name }) => !(op['toolNames'] as string[]).includes(name));
      else if (op.op === 'messages_cached_replace') cached = op['messages'] as unknown[];
      else if (op.op === 'options_set') options = withOptions(options, op);
      else if (op.op === 'compaction_apply')
        cached = [summaryOf(op), ...cached.slice(Math.max(0, op['firstKeptMessageIndex'] as number))];
      else throw new Error(`no such op: ${op.op}`);
    }
  }
  const compiled = parts.map(({ text }) => text).join('');
  return { system: { parts, compiled }, tools, messages: { cached, uncached: [] }, options };
}

function withOptions(options: Readonly<Record<string, unknown>>, op: Op): Readonly<Record<string, unknown>> {
  const given = Object.entries(op).filter(([name]) => ['reasoning', 'temperature', 'maxTokens'].includes(name));
  return Object.fromEntries(
    Object.entries({ ...options, ...Object.fromEntries(given) }).filter(([, value]) => value !== null),
  );
}

function summaryOf({ summary, timestamp }: Op): unknown {
  const text = `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary as string}\n</summary>`;
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}
