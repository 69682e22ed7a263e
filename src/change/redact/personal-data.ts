import { toValueSpan, type ValueSpan } from './value-spans.js';

/** The kinds of personal data, as placeholders name them. */
export const PERSONAL_KINDS = { email: 'e-mail address', user: 'user' } as const;

/**
 * Whether a kind is one of personal data: such a value is replaced only where it is found, since a user may be called
 * "test".
 */
export function isPersonalKind(kind: string): boolean {
  return kind === PERSONAL_KINDS.email || kind === PERSONAL_KINDS.user;
}

/** E-mail addresses of people, and the names of users in the paths of home folders. */
export function* findPersonalData(text: string): Generator<ValueSpan> {
  if (text.includes('@')) yield* findAll(text, EMAIL, PERSONAL_KINDS.email);
  if (!HOME.test(text)) return;
  for (const pattern of [UNIX_HOME, WINDOWS_HOME, FOLDER_NAME]) yield* findAll(text, pattern, PERSONAL_KINDS.user);
}

/** The group `value` of each match. */
function* findAll(text: string, pattern: RegExp, kind: string): Generator<ValueSpan> {
  for (const match of text.matchAll(pattern)) {
    const value = match.groups?.value ?? '';
    if (NOT_PERSONAL.has(value)) continue;
    const start = match.index + match[0].length - value.length;
    yield toValueSpan(text, { start, end: start + value.length, kind, value });
  }
}

/**
 * Each begins where no character of an address is before it, but one of an escape: so a text is searched in linear
 * time.
 */
const EMAIL =
  /(?:(?<![\w.+%\\-])|(?<=\\[nrt]))(?<value>[A-Za-z0-9][\w.+%-]{0,63}@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,24})(?![\w-])/g;

const HOME = /[\\/-](?:home|Users)[\\/-]/;
/** A name of a user. A full stop after it is one of the sentence. */
const NAME = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.-]{0,62}[\p{L}\p{M}\p{N}_-])?`;
const UNIX_HOME = new RegExp(
  String.raw`(?:(?<![\w.~-])|(?<=\\[nrt]))(?:\/mnt|\/System\/Volumes\/Data)?(?:\/[a-z])?\/(?:home|Users)\/(?<value>${NAME})`,
  'gu',
);
/** Backslashes are doubled in JSON, and again in JSON within it. A name with spaces ends at the next one of them. */
const WINDOWS_HOME = new RegExp(
  String.raw`\b[A-Za-z]:[\\/]{1,4}Users(?<slash>[\\/]{1,4})(?<value>${NAME}(?: ${NAME}){1,2}(?=\k<slash>)|${NAME})`,
  'gu',
);
/** The folders of Claude Code are named like the working directory, with its slashes and colons replaced. */
const FOLDER_NAME = /(?:(?<=^|[\\/])|(?<=(?:^|[\\/])[A-Za-z]-))-(?:home|Users)-(?<value>[A-Za-z0-9]{1,64})(?=-|$)/g;

/** Addresses of services, and accounts of systems. */
const NOT_PERSONAL: ReadonlySet<string> = new Set([
  'git@github.com',
  'git@gitlab.com',
  'git@bitbucket.org',
  'noreply@anthropic.com',
  'noreply@github.com',
  'Shared',
  'Public',
  'linuxbrew',
]);
