import { CtxError, type Problem, warning } from '#base/errors.js';
import { isObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type Target, targetOf } from '#context/request/wire-messages.js';
import type { Head } from '#session/table/head.js';
import type { RequestToExport } from './define.js';

/** Whom a payload is for. */
export interface Recipient {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  /** The thinking level, as Pi names it: off, minimal, low, medium, high, xhigh or max. */
  readonly thinking: string;
}

/** A way to ask models. */
export interface Dialect {
  /** The company that made it. */
  readonly vendor: string;
  /** As sessions name it, and what speaks it nearly. */
  readonly apis: readonly [usual: string, ...others: string[]];
}

export interface Addressed {
  readonly recipient: Recipient;
  readonly problems: readonly Problem[];
}

/**
 * The model of the request. A model that Pi calls through another API gets its name at the dialect's vendor, and
 * nothing is sent that only the recorded model accepts. Throws a CtxError (usage) if no model is known.
 */
export function addressed(request: RequestToExport, { vendor, apis: [usual, ...others] }: Dialect): Addressed {
  const { envelope, model: wanted } = request;
  const asked = targetOfAnswer(request.session, request.at) ?? settingOf(request);
  const model = wanted ?? asked.model;
  if (model === null) throw new CtxError('usage', 'the session names no model', { hint: 'say --model NAME' });
  const { reasoning } = envelope.options;
  const thinking = typeof reasoning === 'string' ? reasoning : knownLevel(envelope.meta);
  const api = asked.api ?? usual;
  if (api === usual || others.includes(api)) {
    const recipient = { provider: asked.provider ?? vendor, api, model, thinking };
    return { recipient, problems: api === usual ? [] : [sibling(api, usual)] };
  }
  const recipient = { provider: vendor, api: usual, model, thinking };
  return { recipient, problems: [translation(asked, wanted === undefined)] };
}

/** No thinking is requested where the level is not recorded. */
function knownLevel({ thinkingLevel }: Pick<ContextEnvelope['meta'], 'thinkingLevel'>): string {
  return thinkingLevel === 'unknown' ? 'off' : thinkingLevel;
}

/** The model of the newest answer to the request; null if none is recorded. */
function targetOfAnswer({ tree: { heads }, entry }: OpenSession, at: Head | null): Target | null {
  const parent = at?.index ?? -1;
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    if (heads.parentAt(index) !== parent || heads.roleAt(index) !== 'assistant') continue;
    const head = heads.at(index);
    const message = head && entry(head)['message'];
    const target = isObject(message) ? targetOf(message) : null;
    if (target?.model) return target;
  }
  return null;
}

/** The model that is set, and the API by which it or its provider was asked before. */
function settingOf({ envelope: { meta, messages } }: RequestToExport): Target {
  const [provider, model] = [meta.model?.provider ?? null, meta.model?.modelId ?? null];
  const answers = messages.cached
    .filter(({ role }) => role === 'assistant')
    .map((message: LlmMessage) => targetOf(message));
  const ofProvider = answers.filter((one) => one.provider === provider && one.api !== null);
  const known = ofProvider.findLast((one) => one.model === model) ?? ofProvider.at(-1);
  return { provider, model, api: known?.api ?? USUAL_APIS.get(provider ?? '') ?? null };
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

function translation({ provider, api, model }: Target, hasNoOther: boolean): Problem {
  const hint = hasNoOther ? '; --model names a model of this API' : '';
  return warning('translation', `${provider ?? '?'}/${model ?? '?'} is asked by ${api}, so this was never sent${hint}`);
}

function sibling(api: string, usual: string): Problem {
  return warning('sibling-api', `the model is asked by ${api}, which has fields of its own beside those of ${usual}`);
}
