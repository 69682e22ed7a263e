import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import type { EntryLines, EntryList } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { placeOf } from './messages.js';

/** The record that declared the prompt or the tools in force, and the number of entries before it. */
interface Declaration {
  readonly span: LineSpan;
  readonly index: number;
}

interface PromptDeclaration extends Declaration {
  readonly text: string;
}

/** The prompt and the tools in force. */
export class Declarations {
  private prompt: PromptDeclaration | null = null;
  private tools: Declaration | null = null;

  constructor(private readonly list: EntryList) {}

  get hasPrompt(): boolean {
    return this.prompt !== null;
  }

  get hasTools(): boolean {
    return this.tools !== null;
  }

  /** The prompt is in the profile, and in a request of early versions. */
  takePrompt(line: AgentRecord): boolean {
    const { systemPrompt } = line.value;
    if (typeof systemPrompt !== 'string' || systemPrompt === this.prompt?.text) return false;
    this.declarePrompt(placeOf(line), toLineSpan(line), systemPrompt);
    return true;
  }

  takeTools(line: AgentRecord): void {
    this.declareTools(placeOf(line), toLineSpan(line));
  }

  /**
   * Declares again what was declared after a place to which the client goes back: it stays in force, and is not on the
   * path.
   */
  declareAgain(line: AgentRecord, index: number): void {
    const { prompt, tools } = this;
    if (prompt && prompt.index >= index) this.declarePrompt(placeOf(line, prompt.span), prompt.span, prompt.text);
    if (tools && tools.index >= index) this.declareTools(placeOf(line, tools.span), tools.span);
  }

  private declarePrompt(at: EntryLines, span: LineSpan, text: string): void {
    this.prompt = { span, text, index: this.list.entries.length };
    this.addOp(at, 'system_parts_replace', ({ systemPrompt }) => ({
      parts: [{ name: 'prompt', text: asString(systemPrompt) ?? '' }],
    }));
  }

  private declareTools(at: EntryLines, span: LineSpan): void {
    this.tools = { span, index: this.list.entries.length };
    this.addOp(at, 'tools_replace', ({ tools }) => ({ tools: listObjects(tools).map(toToolDefinition) }));
  }

  /** Adds a transform of one op, which is made of the value of the last line. */
  private addOp(at: EntryLines, op: string, buildFields: (value: JsonObject) => JsonObject): void {
    this.list.add({
      ...at,
      type: 'context_transform',
      build(values) {
        const fields = buildFields(values.at(-1) ?? {});
        const patch = [{ op, scope: 'cached', ...fields, invalidateCacheReason: 'recorded by Kimi Code' }];
        return { schemaVersion: 1, transformerName: 'prompt', patch };
      },
    });
  }
}

function toToolDefinition({ name, description, parameters }: JsonObject): JsonObject {
  return {
    name: asString(name) ?? '',
    description: asString(description) ?? '',
    parameters: asObject(parameters),
  };
}
