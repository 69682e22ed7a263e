/**
 * The script and the style of the page, with their hashes for the content security policy. `bundle.mjs` writes them.
 */
export const page: Readonly<Record<'script' | 'style' | 'scriptHash' | 'styleHash', string>>;
