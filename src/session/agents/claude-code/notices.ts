import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { AgentNotice } from '../define.js';
import type { AgentRecord } from '../native-records.js';
import { isOlder } from '../versions.js';

/** Versions from this one on send the context of a hook again after a resume. */
const KEEPS_HOOK_CONTEXT = '2.1.290';
/** Versions from this one on write the last prompt after each turn, and those before it when they end. */
const WRITES_LAST_PROMPT = '2.1.267';

/**
 * Finds what the records before an answer tell of its request, apart from its messages. The session was resumed, a tool
 * server was connected again, or the client itself began the turn. `since`: the line of the previous answer.
 */
export function findNotices(records: Iterable<AgentRecord>, since: number): readonly AgentNotice[] {
  const reader = new NoticeReader(since);
  for (const record of records) reader.take(record);
  return reader.end();
}

class NoticeReader {
  private readonly notices: AgentNotice[] = [];
  /** Contexts of hooks and what follows them: their parents, by the uuid. */
  private readonly attached = new Map<string, string | null>();
  private readonly contexts = new Map<string, AgentNotice>();
  /** Attachments that a message follows: they are part of the conversation. */
  private readonly followed = new Set<string>();
  private before: JsonObject = {};
  private hasPrompt = false;
  private isMcp = false;

  constructor(private readonly since: number) {}

  take({ line, value }: AgentRecord): void {
    const isNew = line > this.since;
    if (value['isSidechain'] === true) return;
    if (value['type'] === 'attachment') this.takeAttachment(line, value, isNew);
    else this.follow(value['parentUuid']);
    if (isNew) this.takeNew(line, value);
    if (typeof value['version'] === 'string') this.before = value;
  }

  end(): readonly AgentNotice[] {
    const isDropped = this.hasPrompt && isOlder(this.before['version'], KEEPS_HOOK_CONTEXT);
    const dropped = isDropped ? [...this.contexts].filter(([uuid]) => !this.followed.has(uuid)) : [];
    return [...this.notices, ...dropped.slice(-1).map(([, notice]) => notice)];
  }

  private takeAttachment(line: number, { uuid, parentUuid, attachment }: JsonObject, isNew: boolean): void {
    const { type, hookName, hookEvent, commandMode, prompt } = asObject(attachment);
    const id = asString(uuid);
    if (id !== null) this.attached.set(id, asString(parentUuid));
    if (type === 'hook_additional_context' && id !== null && !isNew && hookEvent !== 'SessionStart')
      this.contexts.set(id, { kind: 'hook context', line, text: asString(hookName) ?? 'a hook' });
    if (!isNew) return;
    if (hookEvent === 'SessionStart') this.noteStart(line, hookName);
    if (type === 'queued_command' && (commandMode === TASK || isTask(prompt))) this.noteTask(line, prompt);
  }

  /** Notes the attachments above a message, which are sent with it. */
  private follow(parent: unknown): void {
    for (
      let next = asString(parent);
      next !== null && !this.followed.has(next);
      next = this.attached.get(next) ?? null
    ) {
      if (!this.attached.has(next)) return;
      this.followed.add(next);
    }
  }

  private takeNew(line: number, value: JsonObject): void {
    const { type, data, message, origin, isMeta, version, entrypoint, sessionId } = value;
    this.noteProcess(line, value);
    if (type === 'assistant' && asObject(message)['model'] === '<synthetic>') this.noteLocal(line, value);
    if (type === 'progress') {
      const { hookEvent, hookName } = asObject(data);
      if (hookEvent === 'SessionStart') this.noteStart(line, hookName);
    }
    if (type !== 'user' && type !== 'system') return;
    if (typeof version === 'string') this.compare(line, { version, entrypoint, sessionId });
    for (const text of listMessageTexts(value)) {
      if (isTask(text) || asObject(origin)['kind'] === TASK) this.noteTask(line, text);
      this.noteServer(line, text);
      const ended = ENDS.exec(text)?.[1];
      if (ended !== undefined) this.note({ kind: 'resume', line, text: ended });
      if (type === 'user' && isMeta !== true && !OF_CLIENT.test(text)) this.takePrompt(line, entrypoint);
    }
  }

  /** Each run of `claude -p` answers one prompt. */
  private takePrompt(line: number, entrypoint: unknown): void {
    this.hasPrompt = true;
    if (entrypoint === 'sdk-cli') this.note({ kind: 'resume', line, text: 'a run of claude -p' });
  }

  /** Notes the records that a client writes when it ends, so that another process has sent the next request. */
  private noteProcess(line: number, { type, lastPrompt }: JsonObject): void {
    const isEnd =
      type === 'last-prompt' && lastPrompt !== undefined && isOlder(this.before['version'], WRITES_LAST_PROMPT);
    if (type === 'cost-state' || isEnd) this.note({ kind: 'resume', line, text: 'the client had ended' });
  }

  /** When it resumes after a message without an answer, the client writes that none was requested. */
  private noteLocal(line: number, value: JsonObject): void {
    if (listMessageTexts(value).includes(NO_ANSWER))
      this.note({ kind: 'resume', line, text: NO_ANSWER.replace(/\.$/, '') });
  }

  private noteStart(line: number, hookName: unknown): void {
    const name = asString(hookName) ?? '';
    if (/:(?:resume|startup)$/.test(name)) this.note({ kind: 'resume', line, text: `hook ${name}` });
  }

  /** Compares the process of a message with that of the one before. */
  private compare(line: number, now: Readonly<Record<(typeof OF_PROCESS)[number], unknown>>): void {
    const changed = OF_PROCESS.find((field) => isChanged(this.before[field], now[field]));
    if (changed === undefined) return;
    const text = `${changed} ${asString(this.before[changed])}, then ${asString(now[changed])}`;
    this.note({ kind: 'resume', line, text });
  }

  private noteTask(line: number, prompt: unknown): void {
    const text = /<summary>([^<]{1,200})<\/summary>/.exec(joinContent(prompt))?.[1] ?? '';
    this.note({ kind: 'task notification', line, text });
  }

  private noteServer(line: number, text: string): void {
    if (/<command-name>\/mcp<\/command-name>/.test(text)) this.isMcp = true;
    const reply = this.isMcp ? /<local-command-stdout>([^<]{0,200})/.exec(text)?.[1] : undefined;
    const isChange =
      reply !== undefined && /\b(?:re)?connected to\b|\b(?:enabled|disabled|disconnected)\b/i.test(reply);
    if (isChange) this.note({ kind: 'tool server', line, text: reply.trim().replace(/\.$/, '') });
  }

  /** One of each kind is enough: the first. */
  private note(notice: AgentNotice): void {
    if (!this.notices.some(({ kind }) => kind === notice.kind)) this.notices.push(notice);
  }
}

const TASK = 'task-notification';
const NO_ANSWER = 'No response requested.';

/** The commands after which another process goes on. */
const ENDS = /<command-name>(\/(?:exit|quit|resume))<\/command-name>/;

/** The beginnings of messages that the client writes for the user. */
const OF_CLIENT = /^(?:<(?:command|local-command|task-notification|system-reminder|bash)|\[Request interrupted)/;

/** The fields of a record that are the same as long as one process writes the session. */
const OF_PROCESS = ['version', 'entrypoint', 'sessionId'] as const;

function isChanged(before: unknown, now: unknown): boolean {
  return typeof before === 'string' && typeof now === 'string' && before !== now;
}

function isTask(content: unknown): boolean {
  return joinContent(content).trimStart().startsWith(`<${TASK}>`);
}

function joinContent(content: unknown): string {
  return typeof content === 'string' ? content : listContentTexts(content).join('\n');
}

function listContentTexts(content: unknown): readonly string[] {
  return listObjects(content).flatMap(({ text }) => asString(text) ?? []);
}

/** The texts of a message, or of a command that the client answered itself. */
function listMessageTexts({ message, content }: JsonObject): readonly string[] {
  const body = asObject(message)['content'] ?? content;
  return typeof body === 'string' ? [body] : listContentTexts(body);
}
