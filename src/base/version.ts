import manifest from '../../package.json' with { type: 'json' };

/** The version of this package, inserted by the build. */
export const VERSION: string = manifest.version;
