/** The program and the style of the page, made by bundle.mjs when ctx is built. */
export const script: string;
export const style: string;
/** What the content security policy calls them. */
export const scriptHash: string;
export const styleHash: string;
