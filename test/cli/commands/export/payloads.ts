import { createHash } from 'node:crypto';
import path from 'node:path';
import { exportFormats } from '#cli/commands/export/formats/index.js';
import { addressRequest, type Dialect } from '#cli/commands/export/formats/recipient.js';
import { findThinkingModes } from '#cli/commands/export/formats/thinking-modes.js';
import { envelopeAt } from '#context/envelope-at.js';
import type { OpenSession } from '#context/open.js';
import { canonicalJson } from '../../../../src/base/canonical-json.js';
import { projectFolder } from '../../../support/files.js';

/** A request that real Pi is asked about, as `test/pi/payloads.mjs` takes it. */
export interface Asked {
  readonly file: string;
  readonly index: number | null;
  readonly provider: string | null;
  readonly api: string;
  readonly model: string;
  readonly thinking: string;
  /** What ours was made with, for a model that Pi does not list. */
  readonly facts: {
    readonly thinks: boolean;
    readonly thinksByEffort: boolean;
    readonly efforts: readonly (readonly [string, string | null])[];
  };
}

/** A payload of ours. */
export interface Ours {
  readonly asked: Asked;
  readonly payload: Readonly<Record<string, unknown>>;
}

const FORMATS: Readonly<Record<string, Dialect & { readonly model: string; readonly parts: readonly string[] }>> = {
  anthropic: {
    vendor: 'anthropic',
    apis: ['anthropic-messages'],
    model: 'claude-sonnet-4-6',
    parts: ['model', 'system', 'tools', 'messages', 'thinking', 'output_config'],
  },
  'openai-responses': {
    vendor: 'openai',
    apis: ['openai-responses'],
    model: 'gpt-5.1',
    parts: ['model', 'input', 'tools', 'reasoning', 'include', 'store'],
  },
  'openai-chat': {
    vendor: 'openai',
    apis: ['openai-completions'],
    model: 'gpt-4.1',
    parts: ['model', 'messages', 'tools', 'reasoning_effort', 'reasoning', 'store'],
  },
};

/** The payload of every API at a place of a session: for the model that is recorded there, or for the usual one of its vendor. */
export async function payloadsAt(
  session: OpenSession,
  index: number | null,
  isForUsual: boolean,
): Promise<readonly Ours[]> {
  const at = index === null ? session.tree.leaf : (session.tree.heads.at(index) ?? null);
  const revision = index === null ? 'HEAD' : String(at?.id);
  const envelope = envelopeAt(session, revision, { lenient: true });
  return exportFormats.flatMap((format) => {
    const dialect = FORMATS[format.name];
    if (format.takes !== 'request' || !dialect) return [];
    // A translation for a model of nobody knows what says little.
    const recorded = { session, at, envelope, model: undefined, maxTokens: undefined };
    // Nobody asks a model of OpenAI there.
    const isLocal = envelope.meta.model?.provider === 'deepseek';
    const isOwn =
      (!isForUsual || isLocal) &&
      envelope.meta.model !== null &&
      addressRequest(recorded, dialect).problems.length === 0;
    const request = isOwn ? recorded : { ...recorded, model: dialect.model };
    const { recipient } = addressRequest(request, dialect);
    const { efforts, ...facts } = findThinkingModes(recipient);
    const payload = JSON.parse([...format.write(request).pieces].join('')) as Ours['payload'];
    const thinking = recipient.thinking ?? 'off';
    const asked = { file: session.file, index, ...recipient, thinking, facts: { ...facts, efforts: [...efforts] } };
    return [{ asked, payload }];
  });
}

/** What of a payload is compared. */
export function partsOf({ asked, payload }: Pick<Ours, 'asked' | 'payload'>): Readonly<Record<string, string>> {
  const format = Object.values(FORMATS).find(({ apis }) => apis.includes(asked.api));
  const names = (format?.parts ?? []).filter((name) => payload[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, sha256(canonicalJson(payload[name]))]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The parts that ours has to have in common with Pi's: to DeepSeek it says in a form of its own how much to think. */
export function comparable(parts: Readonly<Record<string, string>>, ours: Ours | undefined): typeof parts {
  if (ours?.asked.provider !== 'deepseek') return parts;
  const { reasoning_effort: _, ...others } = parts;
  return others;
}

/** Sessions of which it is recorded what Pi would send. */
export const TALKS = 200;
export const goldenFile = path.join(projectFolder, 'test/golden/pi-payloads.json');

/** A few digits that stand for a payload: those of other payloads are others. */
export function digest(parts: Readonly<Record<string, string>>): string {
  return sha256(canonicalJson(parts)).slice(0, 8);
}
