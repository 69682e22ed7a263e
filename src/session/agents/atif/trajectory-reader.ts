import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { toHead } from '../../heads/head.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildReplacement } from '../blocks.js';
import type { RecordedParts } from '../define.js';
import { type EntryLines, EntryList, type NewAgentEntry } from '../entry-list.js';
import {
  buildAtifAnswer,
  findAtifUsage,
  findModel,
  isCompactionStep,
  listOwnEntries,
  listResults,
  listSteps,
  toAtifBlocks,
} from './steps.js';

/** Makes entries of the steps of a trajectory. */
export class TrajectoryReader {
  readonly list: EntryList;
  private hasSystem = false;
  private hasTools = false;
  private hasCompaction = false;
  private readonly ids = new Set<string>();

  constructor(
    private readonly span: LineSpan,
    sessionId: string,
    private readonly document: JsonObject,
  ) {
    this.list = new EntryList(sessionId);
  }

  readAll(steps: readonly JsonObject[]): void {
    const isOwn = steps.some((step) => listOwnEntries(step) !== null);
    const leading = isOwn ? 0 : countLeading(steps);
    if (!isOwn) this.declare(steps.slice(0, leading));
    for (const [index, step] of steps.entries()) {
      const own = listOwnEntries(step);
      if (own) for (const [at, entry] of own.entries()) this.restore(index, at, entry);
      else if (index >= leading) this.take(index, step);
    }
  }

  get parts(): RecordedParts {
    return {
      system: this.hasSystem ? 'recorded' : 'missing',
      tools: this.hasTools ? 'recorded' : 'missing',
      messages: 'recorded',
      compactions: this.hasCompaction ? 'recorded' : 'missing',
      usage: this.list.hasUsage ? 'recorded' : 'missing',
    };
  }

  /** The system steps before all others are the prompt; the tools are those of the agent. */
  private declare(leading: readonly JsonObject[]): void {
    const tools = listTools(this.document);
    this.hasSystem = leading.length > 0;
    this.hasTools = tools.length > 0;
    if (!this.hasSystem && !this.hasTools) return;
    const count = leading.length;
    this.list.add({
      type: 'context_transform',
      ...this.at(leading[0]),
      build: ([document]) => buildDeclaration(listSteps(document).slice(0, count), listTools(document ?? {})),
    });
  }

  private take(index: number, step: JsonObject): void {
    const { source } = step;
    if (source === 'agent') this.takeAnswer(index, step);
    else if (source === 'user') this.takeUser(index, step);
    else this.takeSystem(index, step);
    this.takeResults(index, step);
  }

  private takeUser(index: number, step: JsonObject): void {
    const { time } = this.at(step);
    this.list.addMessage('user', this.at(step), ([document]) => {
      return { role: 'user', content: toAtifBlocks(listSteps(document)[index]?.['message']), timestamp: time };
    });
  }

  private takeAnswer(index: number, step: JsonObject): void {
    const { time } = this.at(step);
    const { provider, model } = findModel(step, this.document);
    this.list.addModel(provider, model, this.at(step));
    const build: NewAgentEntry['build'] = ([document = {}]) =>
      buildAtifAnswer(listSteps(document)[index] ?? {}, document, time);
    this.list.addMessage('assistant', this.at(step), build, findAtifUsage(step) !== null);
  }

  /** A system step between others: a compaction, or a text that the program added. */
  private takeSystem(index: number, step: JsonObject): void {
    const content = (document: JsonObject | undefined): readonly JsonObject[] =>
      toAtifBlocks(listSteps(document)[index]?.['message']);
    const { time } = this.at(step);
    const isReplaced = isCompactionStep(step);
    this.hasCompaction ||= isReplaced;
    if (isReplaced)
      this.list.add({
        type: 'context_transform',
        ...this.at(step),
        build: ([document]) => buildReplacement([{ role: 'user', content: content(document), timestamp: time }]),
      });
    else if (content(this.document).length > 0)
      this.list.add({
        type: 'custom_message',
        ...this.at(step),
        build: ([document]) => ({ customType: 'system', content: content(document), display: true }),
      });
  }

  private takeResults(index: number, step: JsonObject): void {
    for (const [at, { toolName }] of listResults(step).entries()) {
      const resultOf = (document: JsonObject | undefined) => listResults(listSteps(document)[index] ?? {})[at];
      const { time } = this.at(step);
      if (toolName === null)
        this.list.add({
          type: 'custom_message',
          ...this.at(step),
          build: ([document]) => ({ customType: 'observation', content: resultOf(document)?.content, display: true }),
        });
      else
        this.list.addMessage('toolResult', this.at(step), ([document]) => {
          const { callId = '', content = [] } = resultOf(document) ?? {};
          return { role: 'toolResult', toolCallId: callId, toolName, content, isError: false, timestamp: time };
        });
    }
  }

  /** An entry that ctx wrote into a step. Its id is kept, unless another one has it. */
  private restore(index: number, at: number, entry: JsonObject): void {
    const { type, role, target, time, hasSummary, usageLength } = toHead(entry, this.span);
    const id = asString(entry['id']);
    if (type === null) return;
    this.hasCompaction ||= type === 'compaction';
    this.noteTransform(entry);
    const isNew = id !== null && id !== '' && !this.ids.has(id);
    if (isNew) this.ids.add(id);
    this.list.add({
      type,
      role,
      target,
      time,
      hasSummary,
      lines: [this.span],
      hasUsage: usageLength > 0,
      ...(isNew ? { id } : {}),
      build([document]) {
        const own = listOwnEntries(listSteps(document)[index] ?? {})?.[at];
        const { id: _id, parentId: _parent, type: _type, ...fields } = own ?? {};
        return fields;
      },
    });
  }

  private noteTransform({ type, patch }: JsonObject): void {
    if (type !== 'context_transform') return;
    for (const { op } of listObjects(patch)) {
      this.hasSystem ||= op === 'system_parts_replace';
      this.hasTools ||= op === 'tools_replace';
    }
  }

  private at(step: JsonObject | undefined): EntryLines {
    return { lines: [this.span], time: parseTimestamp(step?.['timestamp']) };
  }
}

/** The number of system steps before all others. */
function countLeading(steps: readonly JsonObject[]): number {
  const first = steps.findIndex(({ source }) => source !== 'system');
  return first === -1 ? steps.length : first;
}

function buildDeclaration(leading: readonly JsonObject[], tools: readonly JsonObject[]): JsonObject {
  const cached = { scope: 'cached', invalidateCacheReason: 'start of the session' };
  const parts = leading.map(({ message }) => {
    const texts = toAtifBlocks(message).map(({ text }) => asString(text) ?? '');
    return { name: 'system', text: texts.join('\n') };
  });
  const patch = [
    ...(parts.length > 0 ? [{ op: 'system_parts_replace', ...cached, parts }] : []),
    ...(tools.length > 0 ? [{ op: 'tools_replace', ...cached, tools }] : []),
  ];
  return { schemaVersion: 1, transformerName: 'declaration', patch };
}

/** The definitions of the agent's tools, which are those of OpenAI's chat completions. */
function listTools({ agent }: JsonObject): readonly JsonObject[] {
  return listObjects(asObject(agent)['tool_definitions']).map((definition) => {
    const { name, description, parameters } = asObject(definition['function'] ?? definition);
    return { name: asString(name) ?? '', description: asString(description) ?? '', parameters: asObject(parameters) };
  });
}
