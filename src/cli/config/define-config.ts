import type { WrittenConfig } from './schema.js';

/** Types a configuration in TypeScript: `export default defineConfig({ … })`. */
export function defineConfig(config: WrittenConfig): WrittenConfig {
  return config;
}
