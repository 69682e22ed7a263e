/**
 * The history that Codex rebuilds from a rollout, restated from its source as a judge of the importer: it shares no
 * code with it. Deliberately simple: the whole file in memory, one list, no tree.
 */

/** A part of the history in words that both sides can be put into. */
export interface HistoryPart {
  readonly from: 'input' | 'model' | 'tool';
  readonly text: string;
}

interface Item {
  readonly parts: readonly HistoryPart[];
  /** Whether a rollback counts it as the start of a turn. */
  readonly startsTurn: boolean;
  /** Whether Codex wrote it into the input itself, so that it goes with the turn after it. */
  readonly isContextual: boolean;
  /** What a compaction of old versions keeps of it. */
  readonly userText: string | null;
}

type Row = { readonly [key: string]: unknown };
type Event = { readonly item: Item } | { readonly compacted: Row };

/** The parts that the model would see next. */
export function codexHistory(file: string): readonly HistoryPart[] {
  let log: Event[] = [];
  for (const row of rowsIn(file)) {
    const payload = asRow(row['payload']);
    if (!payload) continue;
    if (row['type'] === 'response_item') log.push(...itemsOf(payload).map((item) => ({ item })));
    if (row['type'] === 'inter_agent_communication') log.push({ item: input([textOfAny(payload['content'])], true) });
    if (row['type'] === 'compacted') log.push({ compacted: payload });
    if (row['type'] === 'event_msg' && payload['type'] === 'thread_rolled_back')
      log = withoutNewestTurns(log, payload['num_turns']);
  }
  const base = log.findLastIndex(
    (event) => 'compacted' in event && Array.isArray(event.compacted['replacement_history']),
  );
  let history = base < 0 ? [] : replacement((log[base] as { compacted: Row }).compacted);
  for (const event of log.slice(base + 1))
    history = 'item' in event ? [...history, event.item] : summarised(history, event.compacted);
  return history.flatMap(({ parts }) => parts);
}

function withoutNewestTurns(log: Event[], turns: unknown): Event[] {
  if (typeof turns !== 'number' || !(turns >= 1)) return log;
  const starts = log.flatMap((event, at) => ('item' in event && event.item.startsTurn ? [at] : []));
  const first = starts[0];
  if (first === undefined) return log;
  let end = starts[Math.max(0, starts.length - Math.floor(turns))] ?? first;
  for (let before = log[end - 1]; end > first && before && 'item' in before && before.item.isContextual;) {
    end -= 1;
    before = log[end - 1];
  }
  return log.slice(0, end);
}

function replacement(compacted: Row): Item[] {
  return (compacted['replacement_history'] as unknown[]).flatMap((value) => {
    const row = asRow(value);
    return row ? itemsOf(row) : [];
  });
}

const MOST_BYTES = 20_000 * 4;

/** A compaction of old versions: the newest user messages, and the summary. */
function summarised(history: readonly Item[], compacted: Row): Item[] {
  const kept: string[] = [];
  let left = MOST_BYTES / 4;
  for (const { userText } of history.toReversed()) {
    if (userText === null || left <= 0) continue;
    const tokens = Math.ceil(Buffer.byteLength(userText) / 4);
    const half = left * 2;
    const cut = `${userText.slice(0, half)}…${tokens - left} tokens truncated…${userText.slice(-half)}`;
    kept.unshift(tokens <= left ? userText : cut);
    left = tokens <= left ? left - tokens : 0;
  }
  const given = compacted['message'];
  const summary = typeof given === 'string' && given !== '' ? given : '(no summary available)';
  return [...kept.map((text) => ({ ...input([text], true), userText: text })), input([summary], false)];
}

function rowsIn(file: string): Row[] {
  return file.split('\n').flatMap((line) => {
    try {
      const row = asRow(JSON.parse(line));
      return row ? [row] : [];
    } catch {
      return [];
    }
  });
}

function itemsOf(item: Row): Item[] {
  const type = item['type'];
  const name = typeof item['name'] === 'string' ? item['name'] : '';
  const id = typeof item['call_id'] === 'string' ? item['call_id'] : null;
  // A call that no result can refer to runs at the provider.
  if (id === null && /^(?:function|custom_tool|local_shell|tool_search)_call$/.test(String(type)))
    return [model(hosted(item))];
  switch (type) {
    case 'message':
      return message(item);
    case 'reasoning':
      return [model(`thinks ${textsIn(item['summary']).concat(textsIn(item['content'])).join('\n')}`)];
    case 'function_call':
      return [model(`calls ${id} ${name} ${JSON.stringify(argumentsOf(item['arguments']))}`)];
    case 'custom_tool_call':
      return [model(`calls ${id} ${name} ${JSON.stringify({ input: item['input'] })}`)];
    case 'local_shell_call':
      return [model(`calls ${id} local_shell ${JSON.stringify(item['action'])}`)];
    case 'tool_search_call':
      return [model(`calls ${id} tool_search ${JSON.stringify(item['arguments'])}`)];
    case 'web_search_call':
    case 'image_generation_call':
      return [model(hosted(item))];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [tool(`${id ?? ''}: ${outputOf(item['output'])}`)];
    case 'tool_search_output':
      return [tool(`${id ?? ''}: ${JSON.stringify(item['tools'])}`)];
    case 'agent_message':
      return [input(partsOf(item['content']), true)];
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      return [input([sealed('compaction', item['encrypted_content'])], false)];
    case 'ghost_snapshot':
    case 'compaction_trigger':
      return [];
    default:
      return [input([JSON.stringify(item)], false)];
  }
}

function message({ role, content }: Row): Item[] {
  const texts = partsOf(content);
  if (role === 'system') return [];
  if (role === 'assistant')
    return [{ ...model(''), parts: texts.map((text) => ({ from: 'model', text: `says ${text}` })) }];
  if (role === 'developer') return [{ ...input(texts, false), isContextual: texts.some(isDeveloperContext) }];
  const isContextual = texts.some(isUserContext);
  const isUser = role === 'user' && !isContextual;
  return [{ ...input(texts, isUser), isContextual, userText: isUser ? texts.join('\n') : null }];
}

function isUserContext(text: string): boolean {
  return /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|skill|user_shell_command|turn_aborted|subagent_notification)>)/i.test(
    text,
  );
}

function isDeveloperContext(text: string): boolean {
  return /^\s*<(?:permissions instructions|model_switch|collaboration_mode|personality_spec|token_budget)>/i.test(text);
}

function input(texts: readonly string[], startsTurn: boolean): Item {
  return { ...plain('input', texts), startsTurn };
}

function model(text: string): Item {
  return plain('model', [text]);
}

function tool(text: string): Item {
  return plain('tool', [text]);
}

function plain(from: HistoryPart['from'], texts: readonly string[]): Item {
  return { parts: texts.map((text) => ({ from, text })), startsTurn: false, isContextual: false, userText: null };
}

function hosted(item: Row): string {
  return `says [${String(item['type'])} ${JSON.stringify(item['action'] ?? item['arguments'] ?? item['input'] ?? item['status'] ?? null)}]`;
}

function sealed(what: string, content: unknown): string {
  return `[encrypted ${what}, ${typeof content === 'string' ? content.length : 0} characters]`;
}

/** The arguments of a call are JSON in a string; models also write other texts. */
function argumentsOf(text: unknown): unknown {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : text;
    return asRow(value) ?? { input: text };
  } catch {
    return { input: text };
  }
}

function outputOf(output: unknown): string {
  const row = asRow(output);
  return partsOf(row && 'content' in row ? row['content'] : row ? [row] : output).join('\n');
}

function partsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return (Array.isArray(content) ? content : []).flatMap((value) => {
    const part = asRow(value);
    if (!part) return [];
    if (typeof part['text'] === 'string') return [part['text']];
    if (part['type'] === 'encrypted_content') return [sealed('content', part['encrypted_content'])];
    return part['type'] === 'input_image' ? ['[image]'] : [JSON.stringify(part)];
  });
}

function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : []).flatMap((part) => {
    const text = asRow(part)?.['text'];
    return typeof text === 'string' ? [text] : [];
  });
}

function textOfAny(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function asRow(value: unknown): Row | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : null;
}
