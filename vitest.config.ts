import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { bundlePage } from './src/ui/report/page/bundle.mjs';

/** As in build.mjs: the report page as a text. */
const reportPage = {
  name: 'report-page',
  resolveId: (id: string) => (id.endsWith('/page-bundle.js') ? '\0page-bundle' : null),
  load: async (id: string) => (id === '\0page-bundle' ? (await bundlePage()).contents : null),
};

/**
 * Takes the lists of the modules of this version of Node.js out of the key of compiled modules: every version shares them.
 * All are imported as `node:…`.
 */
const sharedByVersions: Plugin = {
  name: 'shared-by-versions',
  configResolved({ environments }) {
    for (const { resolve } of Object.values(environments))
      Object.assign(resolve, { builtins: [/^node:/], external: [] });
  },
};

/** Whose branches are counted: what decides what a model was shown, and what is written. */
const CORE = ['session', 'context', 'analysis/{cache,check,diff,facts,loss,stats}', 'change'];

export default defineConfig({
  plugins: [reportPage, sharedByVersions],
  test: {
    // For mutation testing, which asks only those that can tell: see docs/contributing/testing.md.
    include: process.env['CTX_TESTS']?.split(',') ?? ['test/**/*.test.ts'],
    exclude: [
      'test/pi/**',
      ...(process.env['CTX_REAL_CLIENTS'] === '1'
        ? []
        : [
            'test/clients/{claude-code,codex,convert,copies,copied-sessions,guard,interactive,mcp,plugin,repairs,statusline}.test.ts',
          ]),
      ...(process.env['CTX_REAL_PI'] === '1' ? [] : ['test/conformance/real-pi*.test.ts']),
      ...(['1', 'firefox'].includes(process.env['CTX_BROWSER'] ?? '') ? [] : ['test/e2e/browser/**']),
    ],
    setupFiles: ['test/support/seed.ts'],
    // Tests change no module and no global, so each worker loads the sources once for all of its files.
    isolate: false,
    // Compiled modules are kept in node_modules by their content, so only the first run compiles all.
    experimental: { fsModuleCache: true },
    // The default leaves one processor free, which is half of them in CI.
    maxWorkers: '100%',
    // Far more than a busy machine needs: a time limit only ends what hangs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 100_000 } },
    env: {
      NODE_EXTRA_CA_CERTS: '',
      TZ: 'UTC',
      CTX_INDEX_DIR: '',
      CLAUDE_CODE_SESSION_ID: '',
      CODEX_THREAD_ID: '',
      NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL('test/support/compiled-once.cjs', import.meta.url)))}`,
    },
    coverage: {
      include: CORE.map((folder) => `src/${folder}/**/*.ts`),
      exclude: ['src/session/wasm/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      // Most of the rest are `??` that TypeScript asks for: see docs/contributing/testing.md.
      thresholds: { branches: 90 },
    },
  },
});
