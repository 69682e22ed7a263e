import { asCount, asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildPromptDeclaration, buildReplacement, toTextBlock } from '../blocks.js';
import { type EntryLines, EntryList, type ListedEntry, type NewAgentEntry } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { buildCopilotAnswer, buildCopilotResult, toCopilotUsage } from './messages.js';

/** Makes entries of the events of a session. */
export class EventReader {
  readonly list: EntryList;
  hasSystem = false;
  hasTruncation = false;
  /** The messages that subagents wrote into the same file. */
  ofSubagents = 0;
  /** The limit of the prompt that the newest event names; null if none does. */
  contextWindow: number | null = null;
  /** The data of the newest shutdown. */
  shutdown: JsonObject = {};
  private prompt = '';
  /** The model in force. */
  private model = 'unknown';
  /** The answer to which the next chunk of its call belongs. */
  private answer: { readonly call: string; readonly entry: ListedEntry } | null = null;
  /** The lines with the usage of the calls whose answers are not read yet, by the id of the call. */
  private readonly usages = new Map<string, LineSpan>();
  /** The lines of all messages of the user, which a compaction repeats. */
  private inputs: LineSpan[] = [];
  /** The tools that were called, by the id of the call. */
  private readonly tools = new Map<string, string>();

  constructor(sessionId: string) {
    this.list = new EntryList(sessionId);
  }

  /** Returns false for an event that is no part of a context. */
  take(line: AgentRecord): boolean {
    const { type, data, agentId } = line.value;
    const fields = asObject(data);
    const at = { lines: [toLineSpan(line)], time: parseTimestamp(line.value['timestamp'] ?? Number.NaN) };
    if (typeof agentId === 'string' || typeof fields['parentToolCallId'] === 'string') {
      const isMessage = type === 'assistant.message' || type === 'user.message';
      this.ofSubagents += isMessage ? 1 : 0;
      return false;
    }
    switch (type) {
      case 'user.message':
        return this.takeUser(at);
      case 'system.message':
        return this.takeSystem(fields, at);
      case 'system.notification':
        return this.takeNotification(at);
      case 'assistant.message':
        return this.takeAnswer(fields, at);
      case 'tool.execution_complete':
        return this.takeResult(fields, at);
      case 'session.usage_record':
        return this.takeUsage(asObject(fields['usage']), at);
      case 'session.compaction_complete':
        return this.takeCompaction(fields, at);
      case 'session.context_cleared':
        this.list.leafId = null;
        this.inputs = [];
        return true;
      case 'session.start':
        this.model = asString(fields['selectedModel']) ?? this.model;
        return false;
      case 'session.model_change':
        this.setModel(asString(fields['newModel']), at);
        return true;
      case 'session.truncation':
        this.hasTruncation = true;
        return true;
      case 'session.shutdown':
        this.shutdown = fields;
        return false;
      default:
        return false;
    }
  }

  private setModel(model: string | null, at: EntryLines): void {
    this.model = model ?? this.model;
    this.list.addModel(PROVIDER, model, at);
  }

  private takeUser(at: EntryLines): true {
    this.answer = null;
    this.inputs.push(...at.lines);
    this.list.addMessage('user', at, ([value]) => {
      const { content, transformedContent } = asObject(value?.['data']);
      const text = asString(transformedContent) ?? asString(content) ?? '';
      return { role: 'user', content: [toTextBlock(text)], timestamp: at.time };
    });
    return true;
  }

  /** The prompt is written at the first request, and when it changes. */
  private takeSystem({ role, content }: JsonObject, at: EntryLines): boolean {
    const text = asString(content) ?? '';
    if (role === 'developer') {
      this.list.add({ type: 'custom_message', ...at, build: buildDeveloperText });
      return true;
    }
    if (text === '' || text === this.prompt) return false;
    this.prompt = text;
    this.hasSystem = true;
    this.list.add({
      type: 'context_transform',
      ...at,
      build: ([value]) => buildPromptDeclaration(asString(asObject(value?.['data'])['content']) ?? ''),
    });
    return true;
  }

  private takeNotification(at: EntryLines): true {
    this.list.add({
      type: 'custom_message',
      ...at,
      build: ([value]) => ({
        customType: 'notification',
        content: [toTextBlock(asString(asObject(value?.['data'])['content']) ?? '')],
        display: true,
      }),
    });
    return true;
  }

  /** An answer with several parts of thinking is written in chunks, a line each. */
  private takeAnswer({ apiCallId, chunkIndex, toolRequests, model }: JsonObject, at: EntryLines): true {
    const call = asString(apiCallId) ?? '';
    for (const { toolCallId, name } of listObjects(toolRequests))
      this.tools.set(asString(toolCallId) ?? '', asString(name) ?? '');
    if (this.answer && this.answer.call === call && (asCount(chunkIndex) ?? 0) > 0) {
      this.answer.entry.lines.splice(-1, 0, ...at.lines);
      return true;
    }
    // An answer of 1.0.31 or older does not name its model.
    if (typeof model === 'string') this.setModel(model, at);
    const answeredBy = this.model;
    const usage = this.usages.get(call);
    this.usages.delete(call);
    const lines = usage ? [...at.lines, usage] : at.lines;
    const build: NewAgentEntry['build'] = (values) => buildCopilotAnswer(values, answeredBy, at.time);
    const entry = this.list.addMessage('assistant', { ...at, lines }, build, usage !== undefined);
    this.answer = { call, entry };
    return true;
  }

  private takeUsage(usage: JsonObject, at: EntryLines): boolean {
    const { apiCallId, maxPromptTokens, interactionType } = usage;
    const isOfConversation = interactionType === undefined || interactionType === 'conversation-agent';
    if (!isOfConversation || toCopilotUsage(usage) === null) return false;
    this.contextWindow = asCount(maxPromptTokens) ?? this.contextWindow;
    const [span] = at.lines;
    if (span) this.usages.set(asString(apiCallId) ?? '', span);
    return true;
  }

  /** A call of the user's own is no part of the conversation. */
  private takeResult({ toolCallId, isUserRequested }: JsonObject, at: EntryLines): boolean {
    if (isUserRequested === true) return false;
    const toolName = this.tools.get(asString(toolCallId) ?? '') ?? '';
    this.list.addMessage('toolResult', at, ([value]) =>
      buildCopilotResult(asObject(value?.['data']), toolName, at.time),
    );
    return true;
  }

  private takeCompaction({ success, summaryContent, tokenLimit, ...data }: JsonObject, at: EntryLines): boolean {
    this.contextWindow = asCount(tokenLimit) ?? this.contextWindow;
    if (success !== true || typeof summaryContent !== 'string') return false;
    this.list.add({
      type: 'context_transform',
      ...at,
      lines: [...at.lines, ...this.inputs],
      build([value, ...inputs]) {
        const text = buildSummary(
          asString(asObject(value?.['data'])['summaryContent']) ?? '',
          inputs.map((input) => asString(asObject(input['data'])['content']) ?? ''),
        );
        const message = { role: 'user', content: [toTextBlock(text)], timestamp: at.time };
        return buildReplacement([message]);
      },
    });
    if (toCopilotUsage(asObject(data['compactionTokensUsed'])) !== null) this.addSummaryUsage(at);
    return true;
  }

  /** The request for a summary is one beside the conversation. */
  private addSummaryUsage(at: EntryLines): void {
    this.list.add({
      type: 'model_usage',
      ...at,
      hasUsage: true,
      build([value]) {
        const usage = asObject(asObject(value?.['data'])['compactionTokensUsed']);
        return { purpose: 'compaction', provider: PROVIDER, model: usage['model'], usage: toCopilotUsage(usage) };
      },
    });
  }
}

/**
 * The message with which Copilot CLI 1.0.102 begins after a compaction: what the user has written so far, and the
 * summary.
 */
function buildSummary(summary: string, inputs: readonly string[]): string {
  const messages = inputs.map((text) => `<user_message>\n${text}\n</user_message>\n`).join('');
  return `Some of the conversation history has been summarized to free up context.\n\nYou were originally given instructions from a user over one or more turns. Here were the user messages:\n${messages}\nHere is a summary of the prior context:\n<summary>\n${summary}\n</summary>\n`;
}

const buildDeveloperText: NewAgentEntry['build'] = ([value]) => ({
  customType: 'developer',
  content: [toTextBlock(asString(asObject(value?.['data'])['content']) ?? '')],
  display: true,
  sentRole: 'developer',
});

/** Models of many providers are asked through GitHub. */
const PROVIDER = 'github-copilot';
