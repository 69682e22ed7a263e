import type { Io } from '#platform/io.js';

/** The surroundings in which a session's name is resolved. */
export type Surroundings = Pick<Io, 'env' | 'home' | 'cwd' | 'files'>;
