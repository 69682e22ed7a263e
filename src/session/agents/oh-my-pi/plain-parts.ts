import { asText, type JsonObject } from '#base/json.js';
import { type LinkedPart, toSamePart, toUnsentPart } from '../linked-entries.js';

/** An entry without a message. */
export function toPlainPart(value: JsonObject): LinkedPart {
  const { type, model, role } = value;
  switch (type) {
    case 'branch_summary':
    case 'custom':
    case 'label':
    case 'model_usage':
      return toSamePart(value);
    case 'thinking_level_change':
      return { sample: value, build: ([line = {}]) => ({ ...line, thinkingLevel: line['thinkingLevel'] ?? 'off' }) };
    case 'model_change':
      return role === undefined || role === 'default'
        ? toModelPart(model, value)
        : toUnsentPart(`model of ${asText(role)}`);
    case 'title_change':
      return toTitlePart(value);
    default:
      return toUnsentPart(String(type));
  }
}

export function toTitlePart({ timestamp }: JsonObject): LinkedPart {
  return { sample: { type: 'session_info', timestamp }, build: ([line]) => ({ name: line?.['title'] }) };
}

/** A model is named `provider/id`. */
function toModelPart(model: unknown, value: JsonObject): LinkedPart {
  if (typeof model !== 'string') return toSamePart(value);
  const at = model.indexOf('/');
  const named = at === -1 ? { modelId: model } : { provider: model.slice(0, at), modelId: model.slice(at + 1) };
  return { sample: { type: 'model_change' }, build: () => named };
}
