import { asString, type JsonObject } from '#base/json.js';
import { quoteValue } from '../define.js';

export interface AnswerModel {
  readonly provider: unknown;
  readonly api: unknown;
  readonly model: unknown;
}

/** Returns one object for each model, so that models can be compared by identity. */
export class AnswerModels {
  private readonly models: AnswerModel[] = [];
  private newest: AnswerModel | null = null;

  readModel({ provider, api, model }: JsonObject): AnswerModel {
    const isIt = (other: AnswerModel): boolean =>
      other.provider === provider && other.api === api && other.model === model;
    if (this.newest && isIt(this.newest)) return this.newest;
    this.newest = this.models.find(isIt) ?? this.addModel({ provider, api, model });
    return this.newest;
  }

  private addModel(model: AnswerModel): AnswerModel {
    this.models.push(model);
    return model;
  }
}

export function describeModel({ provider, model }: AnswerModel): string {
  const names = [asString(provider), asString(model)].flatMap((name) => name ?? []);
  return names.length === 0 ? 'an unknown model' : quoteValue(names.join('/'));
}

/** Whether a model uses the API of Anthropic, which rejects more than others. */
export function usesAnthropicApi({ provider, api }: AnswerModel): boolean {
  return api === undefined ? provider === 'anthropic' : api === 'anthropic-messages';
}

const RESPONSES_APIS: ReadonlySet<unknown> = new Set([
  'openai-responses',
  'openai-codex-responses',
  'azure-openai-responses',
]);

export function usesResponsesApi({ api }: AnswerModel): boolean {
  return RESPONSES_APIS.has(api);
}
