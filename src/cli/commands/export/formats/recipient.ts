import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { isObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { readTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { isAnswer } from '#session/heads/answer.js';
import type { Head } from '#session/heads/head.js';
import type { RequestToExport } from './define.js';

/** Whom a payload is for. */
export interface Recipient {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  /** The thinking level, as Pi names it: off, minimal, low, medium, high, xhigh or max; null if it is not recorded. */
  readonly thinking: string | null;
}

/** A way to ask models. */
export interface Dialect {
  /** The company that made it. */
  readonly vendor: string;
  /** The names of its API in sessions, and of APIs that are nearly the same. */
  readonly apis: readonly [usual: string, ...others: string[]];
}

export interface AddressedRequest {
  readonly recipient: Recipient;
  readonly problems: readonly Problem[];
}

/**
 * The model of the request. A model that Pi calls through another API gets its name at the dialect's vendor, and
 * nothing is sent that only the recorded model accepts. Throws a CtxError (usage) if no model is known.
 */
export function addressRequest(
  request: RequestToExport,
  { vendor, apis: [usual, ...others] }: Dialect,
): AddressedRequest {
  const { envelope, model: chosenModel } = request;
  const target = findAnswerTarget(request.session, request.at) ?? findSetTarget(request);
  const model = chosenModel ?? target.model;
  if (model === null) throw new CtxError('usage', 'the session names no model', { hint: 'say --model NAME' });
  const { reasoning } = envelope.options;
  const thinking = typeof reasoning === 'string' ? reasoning : findThinkingLevel(envelope.meta);
  const api = target.api ?? usual;
  if (api === usual || others.includes(api)) {
    const recipient = { provider: target.provider ?? vendor, api, model, thinking };
    return { recipient, problems: api === usual ? [] : [warnSiblingApi(api, usual)] };
  }
  const recipient = { provider: vendor, api: usual, model, thinking };
  return { recipient, problems: [warnTranslation(target, chosenModel === undefined)] };
}

function findThinkingLevel({ thinkingLevel }: Pick<ContextEnvelope['meta'], 'thinkingLevel'>): string | null {
  return thinkingLevel === 'unknown' ? null : thinkingLevel;
}

/** The model of the newest answer to the request; null if none is recorded. */
function findAnswerTarget({ tree: { heads }, entry }: OpenSession, at: Head | null): RequestTarget | null {
  const parent = at?.index ?? -1;
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    if (heads.parentAt(index) !== parent || !heads.isAnswerAt(index)) continue;
    const head = heads.at(index);
    const message = head && entry(head).message;
    const target = isObject(message) ? readTarget(message) : null;
    if (target?.model) return target;
  }
  return null;
}

/** The model that is set, and the API by which it or its provider was asked before. */
function findSetTarget({ envelope: { meta, messages } }: RequestToExport): RequestTarget {
  const provider = meta.model?.provider ?? null;
  const model = meta.model?.modelId ?? null;
  const answers = messages.cached.filter(isAnswer).map((message: LlmMessage) => readTarget(message));
  const ofProvider = answers.filter((one) => one.provider === provider && one.api !== null);
  const answer = ofProvider.findLast((one) => one.model === model) ?? ofProvider.at(-1);
  return { provider, model, api: answer?.api ?? USUAL_APIS.get(provider ?? '') ?? null };
}

/** The API of each provider that uses a single one for all of its models, as in Pi. */
const USUAL_APIS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    anthropic: 'anthropic-messages',
    'amazon-bedrock': 'bedrock-converse-stream',
    'azure-openai-responses': 'azure-openai-responses',
    google: 'google-generative-ai',
    'google-vertex': 'google-vertex',
    mistral: 'mistral-conversations',
    openai: 'openai-responses',
    'openai-codex': 'openai-codex-responses',
  }),
);

function warnTranslation({ provider, api, model }: RequestTarget, hasNoOther: boolean): Problem {
  const hint = hasNoOther ? '; --model names a model of this API' : '';
  return buildWarning(
    'translation',
    `${provider ?? '?'}/${model ?? '?'} is asked by ${api}, so this was never sent${hint}`,
  );
}

function warnSiblingApi(api: string, usual: string): Problem {
  return buildWarning(
    'sibling-api',
    `the model is asked by ${api}, which has fields of its own beside those of ${usual}`,
  );
}
