/** Enough of a secret to know it again, and never more than a quarter: `sk-a… (108 characters)`. */
export function mask(secret: string): string {
  // A line break or half a character would not be known again.
  const [beginning = ''] = /^[!-~]*/.exec(secret.slice(0, Math.min(MOST, secret.length / SHARE))) ?? [];
  return `${beginning}… (${secret.length} character${secret.length === 1 ? '' : 's'})`;
}

const MOST = 4;
const SHARE = 4;
