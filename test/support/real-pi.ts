import { describe } from 'vitest';

/** Tests that need the real Pi package, which is installed by itself: they are there when somebody asks for them. */
export const withRealPi: (name: string, tests: () => void) => void =
  process.env['CTX_REAL_PI'] === '1' ? describe : () => {};
