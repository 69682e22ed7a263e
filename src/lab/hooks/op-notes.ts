import type { JsonObject } from '#base/json.js';
import { didYouMean } from '#base/suggestion.js';
import { truncate } from '#base/text.js';
import { listUnknownFields, readOps } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { formatValue, LONGEST_VALUE } from './boundary-rules.js';
import type { Transform } from './document.js';

/** Notes on the parts of patches that have no effect. */
export function* listOpNotes(transforms: readonly Transform[], before: EnvelopeContent): Generator<string> {
  let content = before;
  for (const { hook, patch } of transforms) {
    for (const step of readOps(patch, null)) {
      if (!step.ok) continue;
      for (const field of listUnknownFields(step.json)) yield `${hook}: ${step.name} ignores the ${field}`;
      for (const missing of listMissing(content, step.json)) yield `${hook}: ${step.name} names ${missing}`;
      content = step.apply(content);
    }
  }
}

/** The tools or the system part that an op removes and that are not there. */
function listMissing({ system, tools }: EnvelopeContent, { toolNames, partName, op }: JsonObject): readonly string[] {
  switch (op) {
    case 'system_part_remove':
      return describeMissing([partName], system.parts);
    case 'tools_remove':
      return describeMissing(toolNames as readonly unknown[], tools);
    default:
      return [];
  }
}

function describeMissing(wanted: readonly unknown[], items: readonly { readonly name: string }[]): readonly string[] {
  const present = items.map(({ name }) => name);
  if (present.length === 0) return [];
  const missing = wanted.map(String).filter((name) => !present.includes(name));
  const others = `it has ${truncate(present.join(', '), LONGEST_VALUE)}`;
  return missing.map(
    (name) => `${formatValue(name)}, which is not in the request: ${didYouMean(name, present, others)}`,
  );
}
