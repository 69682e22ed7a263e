/**
 * Whether somebody wrote a value to stand for a secret: `sk-xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`, `ghp_1234567890abcdef`.
 * One random value in a few thousand looks like that.
 */
export function isMadeUp(value: string): boolean {
  return saysSo(value) || ONE_OVER_AND_OVER.test(value) || isInOrder(value) || isOfFewCharacters(value);
}

/** Whether words in a value say that it is none: `your-key`, `changeme`. */
export function saysSo(value: string): boolean {
  return SAYS_SO.test(value);
}

const SAYS_SO =
  /example|placeholder|redacted|replace|change_?me|dummy|sample|your[-_a-z]|insert|fake_|_fake|not[-_]?a[-_]|\.\.\.|\*\*\*|<|…|•/i;
const ONE_OVER_AND_OVER = /([A-Za-z0-9])\1{6}|([Xx])\2{3}|(0{5})|^(.{1,4})\4{3,8}$/;

const LONGEST_ORDER = 8;

/** Letters or digits as the alphabet has them: `12345678`, `abcdefgh`. */
function isInOrder(value: string): boolean {
  let length = 1;
  for (let at = 1; at < Math.min(value.length, 200); at += 1) {
    const [before, now] = [value.charCodeAt(at - 1), value.charCodeAt(at)];
    // After the 9 comes the 0.
    length = now === before + 1 || (before === 0x39 && now === 0x30) ? length + 1 : 1;
    if (length >= LONGEST_ORDER) return true;
  }
  return false;
}

/** A random hex value of 32 digits has 14 different ones. */
function isOfFewCharacters(value: string): boolean {
  return value.length >= 16 && new Set(value.slice(0, 200)).size < 7;
}
