import { asString, type JsonObject } from '#base/json.js';

/** The names of a model, as far as an entry contains them. */
interface NamedModel {
  readonly provider?: string;
  readonly modelId?: string;
}

export function namedModel(provider: unknown, modelId: unknown): NamedModel {
  return {
    ...(typeof provider === 'string' && { provider }),
    ...(typeof modelId === 'string' && { modelId }),
  };
}

/** The model of a `model_change`: Pi writes `provider` and `modelId`, oh-my-pi writes `model` as `provider/id`. */
export function modelOfChange({ provider, modelId, model }: JsonObject): NamedModel {
  if (typeof model !== 'string' || typeof provider === 'string' || typeof modelId === 'string')
    return namedModel(provider, modelId);
  const slash = model.indexOf('/');
  return namedModel(slash === -1 ? null : model.slice(0, slash), model.slice(slash + 1));
}

/** The role of oh-my-pi, such as `smol`, whose model a `model_change` sets; null for the model that answers in the session. */
export function roleOfChange(entry: JsonObject): string | null {
  const role = asString(entry['role']);
  return role === 'default' ? null : role;
}
