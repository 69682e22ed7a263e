import manifest from '../../package.json' with { type: 'json' };

/** The version of this package, taken over when it is built. */
export const VERSION: string = manifest.version;
