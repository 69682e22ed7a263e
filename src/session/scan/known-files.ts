/** A kind of file that other programs write. */
export interface KnownFile {
  /** The file as a sentence names it: `a Droid session`, `the output of pi --mode json`. */
  readonly what: string;
  /** The form of a session, such as `JSON lines`; left out for a file that is none. */
  readonly format?: string;
  /** The advice to the user; by default how to add the format of a session, or how to list sessions. */
  readonly hint?: string;
  /** A program writes it beside its sessions, so a folder of sessions may contain it. */
  readonly isLog?: boolean;
  /** ctx reads such a session, unless no line of it is a whole record. */
  readonly isRead?: boolean;
  /**
   * Matches the outline of one of the first lines: its own keys and plain values, without those inside, since a tool
   * may be called with anything. Matches the beginning itself if no line is an object, as in an indented document.
   * A lookahead needs `^`: without it, it is tried at every character, in time that grows with the square.
   */
  readonly sign: RegExp;
  /** Matches the version in the same texts, in its first group. */
  readonly version?: RegExp;
}

const LINES = 'JSON lines';
const DOCUMENT = 'JSON';
const EXPORT_IT = 'export the session, and read that: opencode export ID > session.json';
const READ_TRANSCRIPT = 'read the transcript of Claude Code in .claude/projects, in the folder of this name';
const READ_SESSION_BESIDE = 'read the session beside it';
const READ_SESSION_OF_RUN = 'read the session file of that run; find it: ctx ls --agent all';
const READ_MESSAGES = 'read the messages of the session, in the file that ends in .messages.json beside it';
const READ_TASK = 'read the messages of the task, in api_conversation_history.json beside it';
const LIST_OTHERS = 'list the sessions that ctx reads: ctx ls --agent all';
const NAME_TASK = 'a task of Cline is read under the name that Cline gives it: api_conversation_history.json';

/** The events that `pi --mode json` prints after the header of its session. */
export const EVENT_OF_PI =
  /"type":"(?:agent_(?:start|end|settled)|turn_(?:start|end)|message_(?:start|update|end)|tool_execution_(?:start|update|end)|(?:auto_)?(?:retry|compaction)_(?:start|end)|queue_update)"/;

export const OUTPUT_OF_PI: KnownFile = {
  what: 'the output of pi --mode json',
  sign: EVENT_OF_PI,
  hint: READ_SESSION_OF_RUN,
};

/** A line of a transcript, or a row of its database. */
const CURSOR =
  /^\s*\{(?:"timestamp":"[^"]*",)?"role":"(?:user|assistant)",(?:"model":"[^"]*",)?"message":|"key":"(?:composerData|bubbleId):/;

/**
 * The files of other programs, in the order in which they are tried: a sign that is found in fewer files comes first.
 * Files that ctx reads are detected before. So an agent is listed here if ctx does not read it, or if only a part of
 * its session was found.
 */
export const KNOWN_FILES: readonly KnownFile[] = [
  OUTPUT_OF_PI,
  {
    what: 'the output of cursor-agent --output-format stream-json',
    sign: /"type":"(?:tool_call|thinking)","subtype":"(?:started|delta|completed)"/,
    hint: 'read the transcript of that run; find it: ctx ls --agent cursor',
  },
  {
    what: 'the output of droid exec --output-format stream-json',
    sign: /^(?=.*"type":"(?:message|tool_call|tool_result|completion)")(?=.*"session(?:_id|Id)":)(?!.*"uuid":)/,
    hint: READ_SESSION_OF_RUN,
  },
  {
    what: 'the output of claude --output-format stream-json',
    sign: /^(?=.*"type":"system")(?=.*"subtype":"init")(?=.*"session_id":)/,
    hint: READ_SESSION_OF_RUN,
  },
  {
    what: 'the output of codex exec --json',
    sign: /"type":"(?:thread\.started|turn\.(?:started|completed)|item\.(?:started|completed))"/,
    hint: READ_SESSION_OF_RUN,
  },
  {
    what: 'the output of gemini --output-format stream-json',
    sign: /^(?=.*"type":"init")(?=.*"session_id":)/,
    hint: READ_SESSION_OF_RUN,
  },
  {
    what: 'a trajectory log of OpenClaw',
    sign: /"traceSchema":"openclaw-trajectory"/,
    hint: READ_SESSION_BESIDE,
    isLog: true,
  },
  {
    what: 'a workflow journal of Claude Code',
    sign: /^(?=.*"type":)(?=.*"agentId":)(?!.*"(?:uuid|parentUuid|sessionId)":)/,
    hint: 'read the sessions of its agents, in the folder beside it',
    isLog: true,
  },
  { what: 'the prompt history of Claude Code', sign: /^(?=.*"display":)(?=.*"pastedContents":)/, isLog: true },
  { what: 'the prompt history of Codex', sign: /^\{"session_id":"[^"]*","ts":\d+,"text":/, isLog: true },
  { what: 'a Claude Cowork session', format: DOCUMENT, sign: /"cliSessionId":/, hint: READ_TRANSCRIPT },
  {
    what: 'a Copilot CLI session',
    isRead: true,
    format: LINES,
    sign: /^(?=.*"type":"(?:session|user|assistant|tool|hook)\.[\w.]+")(?=.*"data":)/,
  },
  {
    what: 'a Droid session',
    isRead: true,
    format: LINES,
    sign: /"type":"session_start"/,
    version: /"type":"session_start".*"version":(\d+)/,
  },
  {
    what: 'an ATIF trajectory',
    format: DOCUMENT,
    sign: /"schema_version":\s*"ATIF-/,
    version: /"schema_version":\s*"ATIF-v?([\w.]+)"/,
  },
  {
    what: 'a VS Code chat session',
    format: 'JSON or a log of changes',
    sign: /"(?:requesterUsername|responderUsername)":|^\{"kind":[0-3],"[kv]":/,
    version: /^\s*\{\s*"version":\s*(\d+)/,
  },
  { what: 'an Amp session', format: DOCUMENT, sign: /"id":\s*"T-[0-9a-f]{8}-/, version: /"v":\s*(\d+)/ },
  {
    what: 'a compaction of Cline',
    sign: /"source_message_count":/,
    hint: READ_MESSAGES,
    isLog: true,
  },
  {
    what: 'the settings of a session of Cline',
    sign: /^(?=[^]*"session_id":)(?=[^]*"enable_spawn":)/,
    hint: READ_MESSAGES,
    isLog: true,
  },
  {
    what: 'a Cline session',
    format: DOCUMENT,
    sign: /^\s*\{\s*"version":\s*\d+,\s*"updated_at":/,
    version: /^\s*\{\s*"version":\s*(\d+)/,
  },
  {
    what: 'the screen of a task of Cline, Roo Code or Kilo Code',
    sign: /^\s*\[\s*\{\s*"ts":\s*\d+,\s*"type":\s*"(?:say|ask)"/,
    hint: READ_TASK,
    isLog: true,
  },
  {
    what: 'a Cline, Roo Code or Kilo Code task',
    format: DOCUMENT,
    sign: /^\s*\[\s*\{\s*"role":\s*"user",\s*"content":\s*\[\s*\{\s*"type":\s*"text",\s*"text":\s*"<(?:task|user_message)>/,
    hint: NAME_TASK,
  },
  {
    what: 'a Goose session',
    format: 'JSON lines before 1.10, or an export',
    sign: /^(?=[^]*"working_dir":)(?=[^]*"(?:message_count|total_tokens|conversation)":)/,
  },
  { what: 'a Continue session', format: DOCUMENT, sign: /"workspaceDirectory":/ },
  { what: 'an Antigravity session', format: LINES, sign: /^(?=.*"step_index":\d)(?=.*"source":")(?=.*"type":")/ },
  {
    what: 'the summary of a session of Grok CLI',
    sign: /"chat_format_version":/,
    hint: LIST_OTHERS,
    isLog: true,
  },
  {
    what: 'the state of a session of Kimi Code',
    sign: /^(?=[^]*"agents":)(?=[^]*"isCustomTitle":)/,
    hint: 'read the messages of its agents, in agents/NAME/wire.jsonl beside it',
    isLog: true,
  },
  {
    what: 'the list of tasks of Cline, Roo Code or Kilo Code',
    sign: /^(?=[^]*"ts":)(?=[^]*"tokensIn":)(?=[^]*"task":)/,
    hint: 'read the messages of a task, in api_conversation_history.json in its folder',
    isLog: true,
  },
  { what: 'a Plandex session', format: 'its messages', sign: /^(?=[^]*"orgId":)(?=[^]*"planId":)(?=[^]*"role":)/ },
  {
    what: 'an OpenHands session',
    format: 'its events',
    sign: /^(?=[^]*"source":\s*"(?:agent|user|environment)")(?=[^]*"(?:action|observation)":\s*")/,
  },
  {
    what: 'a SWE-agent trajectory',
    format: DOCUMENT,
    sign: /^\s*\{\s*(?:"environment":\s*"[^"]*",\s*)?"trajectory":\s*\[/,
  },
  {
    what: 'a Zed session',
    format: 'a text thread',
    sign: /"zed":\s*"context"/,
    version: /"version":\s*"([\d.]+)"/,
  },
  { what: 'an LM Studio chat history', format: DOCUMENT, sign: /"(?:usePerC|perC)hatPredictionConfig":/ },
  { what: 'a Google AI Studio chat history', format: DOCUMENT, sign: /"chunkedPrompt":/ },
  { what: 'an Open WebUI chat history', format: 'an export', sign: /^(?=[^]*"user_id":)(?=[^]*"chat":\s*\{)/ },
  { what: 'a Claude.ai chat history', format: 'an export', sign: /"chat_messages":/ },
  {
    what: 'a ChatGPT chat history',
    format: 'an export',
    sign: /^(?=[^]*"mapping":)(?=[^]*"(?:current_node|create_time)":)/,
  },
  { what: 'a Grok CLI session', format: LINES, sign: /^(?=.*"method":"session\/update")(?!.*"jsonrpc":)/ },
  { what: 'an ACP log', sign: /^(?=.*"jsonrpc":)(?=.*"method":"session\/\w+")/ },
  { what: 'an Aider chat history', format: 'Markdown', sign: /^\s*# aider chat started at/ },
  { what: 'an Aider history', format: 'text, of requests', sign: /^\s*(?:TO LLM|LLM RESPONSE) \d{4}-/ },
  {
    what: 'the prompt history of Aider',
    sign: /^\s*# \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\r?\n\+/,
    hint: LIST_OTHERS,
    isLog: true,
  },
  {
    what: 'a transcript of SpecStory',
    sign: /^\s*<!-- Generated by SpecStory/,
    hint: 'read the session of which it was made; find it: ctx ls --agent all',
  },
  {
    what: 'a Cursor session',
    format: 'text, of early 2026',
    sign: /^\s*user:\r?\n\s*<user_query>/,
    hint: 'read the conversation in the database of the editor; find it: ctx ls --agent cursor',
  },
  { what: 'an opencode session', format: DOCUMENT, sign: /"(?:sessionID|messageID|projectID)":\s*"/, hint: EXPORT_IT },
  { what: 'a Cursor session', format: 'a row of its database', sign: CURSOR },
  { what: 'a NAC session', format: LINES, sign: /"logical_id":"session:/ },
  {
    what: 'a Claude Code session',
    isRead: true,
    format: LINES,
    sign: /"(?:parentUuid|leafUuid|isSidechain)":|"type":"(?:file-history-snapshot|queue-operation)"/,
    version: /"version":"([\w.-]+)"/,
  },
  {
    what: 'a Codex session',
    isRead: true,
    format: LINES,
    sign: /"type":"(?:session_meta|response_item|event_msg|turn_context)"/,
  },
  {
    what: 'a Kimi Code session',
    isRead: true,
    format: LINES,
    sign: /"type":"(?:context\.append_(?:message|loop_event)|usage\.record)"/,
  },
  {
    what: 'a Kimi CLI session',
    format: LINES,
    sign: /"protocol_version":|"role":"_(?:checkpoint|usage|system_prompt)"/,
    version: /"protocol_version":"([\w.]+)"/,
  },
  { what: 'a Kiro session', format: LINES, sign: /"version":"v\d+","kind":/, version: /"version":"v(\d+)","kind":/ },
  {
    what: 'a Grok CLI session',
    format: LINES,
    sign: /^\{"type":"(?:system|user|assistant)","content":(?:"|\[\])(?!.*"(?:uuid|sessionId|timestamp)":)/,
  },
  { what: 'a Hermes session', format: DOCUMENT, sign: /"session_start":|"prompt_index":/ },
  {
    what: 'a Gemini CLI session',
    format: 'JSON or JSON lines',
    sign: /"projectHash":|^\s*\{\s*"(?:kind|lastUpdated|messages|sessionId|startTime)":/,
  },
];
