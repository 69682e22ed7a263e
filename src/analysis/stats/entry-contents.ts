import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { readEntryMessage, readSummaryMessage, toLlmMessage } from '#context/replay/convert.js';
import { type Category, chooseCategory } from '#context/size/categories.js';
import type { Entry } from '#session/entry.js';

/** The contents that an entry adds to the context, as they would be sent. */
export interface EntryContents {
  readonly message: LlmMessage | null;
  readonly textCategory: Category;
  /** The type of a message that an agent or an extension added; null for any other message. */
  readonly customType: string | null;
  readonly parts: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * Reads the contents that an entry has itself; null for none. The other effects of a transform are visible only in the
 * context.
 */
export function readEntryContents(entry: Entry): EntryContents | null {
  if (entry.type === 'context_transform') return readPatchDeclarations(listObjects(entry.patch));
  if (entry.type === 'compaction') {
    const message = toLlmMessage(readSummaryMessage(entry));
    return { message, textCategory: 'summaries', customType: null, ...readDeclarations(asObject(entry.systemMessage)) };
  }
  const contribution = readEntryMessage(entry);
  if (contribution === null) return null;
  const { role } = contribution;
  if (role === 'system')
    return { message: null, textCategory: 'system', customType: null, ...readDeclarations(contribution) };
  const customType = asString(contribution.customType);
  return { message: toLlmMessage(contribution), textCategory: chooseCategory(role), customType, parts: [], tools: [] };
}

/** The prompt and the tools that a transform declares, as other agents record them. */
function readPatchDeclarations(patch: readonly JsonObject[]): EntryContents | null {
  const valuesOf = (name: string, key: string): readonly JsonObject[] =>
    patch.flatMap((op) => (op.op === name ? listObjects(op[key]) : []));
  const parts = valuesOf('system_parts_replace', 'parts').flatMap(({ name, text }) =>
    typeof name === 'string' && typeof text === 'string' ? { name, text } : [],
  );
  // As above.
  const tools = valuesOf('tools_replace', 'tools') as readonly ToolDefinition[];
  return parts.length + tools.length === 0
    ? null
    : { message: null, textCategory: 'system', customType: null, parts, tools };
}

/** The declarations of a system message itself: removals add nothing. */
function readDeclarations(message: JsonObject): { parts: readonly SystemPart[]; tools: readonly ToolDefinition[] } {
  const { content, sections, toolsAdded } = message;
  const texts = [
    ['content', typeof content === 'string' ? content : listObjects(content).map(readBlockText).join('')] as const,
    ...Object.entries(asObject(sections)),
  ];
  return {
    parts: texts.flatMap(([name, text]) => (typeof text === 'string' && text !== '' ? { name, text } : [])),
    // A definition may be anything; it is only measured.
    tools: listObjects(toolsAdded) as readonly ToolDefinition[],
  };
}

function readBlockText({ type, text }: JsonObject): string {
  return type === 'text' && typeof text === 'string' ? text : '';
}
