import type { Config } from './schema.js';

/** Gives a configuration that is written in TypeScript its type: `export default defineConfig({ … })`. */
export function defineConfig(config: Config): Config {
  return config;
}
