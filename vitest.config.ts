import { defineConfig } from 'vitest/config';
import { bundlePage } from './src/report/page/bundle.mjs';

/** As in build.mjs: the report page as a text. */
const reportPage = {
  name: 'report-page',
  resolveId: (id: string) => (id.endsWith('/page-bundle.js') ? '\0page-bundle' : null),
  load: async (id: string) => (id === '\0page-bundle' ? (await bundlePage()).contents : null),
};

export default defineConfig({
  plugins: [reportPage],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/pi/**',
      ...(process.env['CTX_REAL_PI'] === '1' ? [] : ['test/conformance/real-pi*.test.ts']),
      ...(process.env['CTX_BROWSER'] === '1' ? [] : ['test/browser/**']),
    ],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    env: { NODE_EXTRA_CA_CERTS: '', TZ: 'UTC' },
  },
});
