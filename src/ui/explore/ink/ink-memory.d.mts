import type { Plugin } from 'esbuild';

export class Recent {
  constructor(most: number);
  readonly newer: ReadonlyMap<unknown, unknown>;
  readonly older: ReadonlyMap<unknown, unknown>;
  get(key: unknown): unknown;
  set(key: unknown, value: unknown): void;
}
export function inkMemory(): Plugin;
