import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/pi/**', ...(process.env['CTX_REAL_PI'] === '1' ? [] : ['test/conformance/real-pi*.test.ts'])],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    env: { NODE_EXTRA_CA_CERTS: '', TZ: 'UTC' },
  },
});
