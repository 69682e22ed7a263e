import type { Config } from './schema.js';

/** Types a configuration in TypeScript: `export default defineConfig({ … })`. */
export function defineConfig(config: Config): Config {
  return config;
}
