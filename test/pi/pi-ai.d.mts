import type { JsonObject } from '../../src/base/json.js';

export interface PiModel {
  readonly id: string;
  readonly cost: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;
}

export const MODELS: Readonly<Record<string, readonly PiModel[]>>;
export function calculateCost(model: PiModel, usage: object): { readonly total: number };
export function getOverflowPatterns(): readonly RegExp[];
export function isContextOverflow(message: object): boolean;
export function getCurrentSystemPrompt(messages: readonly JsonObject[]): string;
