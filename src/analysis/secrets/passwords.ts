import { hasPlaceholderWord } from './looks-random.js';

/** Whether a value in place of a password is one, and not a variable, an option, a placeholder or a common example. */
export function isPassword(value: string): boolean {
  return (
    HAS_BOTH.test(value) &&
    !isWeak(value) &&
    !TEMPLATE.test(value) &&
    !COUNTED.test(value) &&
    !hasPlaceholderWord(value)
  );
}

export function isWeak(password: string): boolean {
  return WEAK.test(password);
}

/** A variable, a template or the name of a value. */
export function isTemplate(password: string): boolean {
  return TEMPLATE.test(password);
}

const HAS_BOTH = /^(?=[^]*[A-Za-z])(?=[^]*\d)/;

const WEAK =
  /^(?:my|the|some|db|your)?[-_]?(?:pass(?:word|wd)?|pwd|secret|postgres|mysql|mongo|redis|rabbit|root|admin|guest|user|test|demo|docker|minio|changeit|letmein|qwerty)[-_]?(?:pass(?:word|wd)?|pw|word|user|db)?\d{0,4}!?$/i;

/** The number of a step or of a page. */
const COUNTED =
  /^(?:step|part|phase|page|task|test|line|level|item|case|node|option|section|chapter|stage|round|day|week|group|field|table|figure|version)[-_]?\d{1,3}$/i;

const TEMPLATE = /[${}()[\]*]|%[A-Z(]|^[A-Z_]+$/;
