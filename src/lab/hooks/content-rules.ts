import { listMessageFaults } from '#analysis/check/schema/misfits.js';
import { canonicalJson } from '#base/canonical-json.js';
import { isObject, type JsonObject } from '#base/json.js';
import { incrementCount } from '#base/maps.js';
import type { EnvelopeContent } from '#context/replay/content.js';

/** A rule of `ctx check` that content of a hook breaks. */
export interface ContentFault {
  readonly rule: string;
  readonly message: string;
}

/**
 * The first fault in the messages and tools that an op puts into a request. Faults that the request has already do not
 * count.
 */
export function findOpFault({ messages, tools }: JsonObject, sent: EnvelopeContent): ContentFault | null {
  const { cached, uncached } = sent.messages;
  return (
    findNewFault(listContentFaults(messages, listFaultsOfSent), () =>
      listContentFaults([...cached, ...uncached], listFaultsOfSent),
    ) ?? findNewFault(listToolFaults(tools), () => listToolFaults(sent.tools))
  );
}

/** The first fault that a hook brings into a message. */
export function findMessageFault(after: JsonObject, before: JsonObject): ContentFault | null {
  const { toolCallId } = before;
  if (before.role === 'toolResult' && after.toolCallId !== toolCallId)
    return { rule: 'pair', message: `a tool result must keep its toolCallId (${JSON.stringify(toolCallId)})` };
  return findNewFault(listMessageFaults(after, true), () => listMessageFaults(before, true));
}

function listContentFaults(
  values: unknown,
  listFaults: (value: unknown) => readonly ContentFault[],
): readonly ContentFault[] {
  return Array.isArray(values) ? (values as readonly unknown[]).flatMap(listFaults) : [];
}

function listFaultsOfSent(message: unknown): readonly ContentFault[] {
  return listMessageFaults(message, false);
}

/** The faults of tool definitions for which Pi cannot build a request. */
export function listToolFaults(tools: unknown): readonly ContentFault[] {
  return listContentFaults(tools, listFaultsOfTool);
}

function listFaultsOfTool(tool: unknown): readonly ContentFault[] {
  const { name, description = '', parameters = {} } = tool as JsonObject;
  const faults: string[] = [];
  if (!isObject(parameters) || Array.isArray(parameters)) faults.push('parameters must be a JSON schema');
  if (typeof description !== 'string') faults.push('description must be a string');
  return faults.map((fault) => ({ rule: 'tool-fields', message: `tool ${canonicalJson(name)}: ${fault}` }));
}

/** The first fault that is there more often than before. */
export function findNewFault(
  after: readonly ContentFault[],
  before: () => readonly ContentFault[],
): ContentFault | null {
  if (after.length === 0) return null;
  const counts = new Map<string, number>();
  for (const { message } of before()) incrementCount(counts, message);
  return (
    after.find(({ message }) => {
      incrementCount(counts, message, -1);
      return (counts.get(message) ?? 0) < 0;
    }) ?? null
  );
}
