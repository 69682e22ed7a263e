/** The script and the style of the page. `bundle.mjs` generates them when ctx is built. */
export const script: string;
export const style: string;
/** Their hashes, for the content security policy. */
export const scriptHash: string;
export const styleHash: string;
