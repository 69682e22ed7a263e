import { definePattern, type SecretPattern } from '../define.js';
import { looksRandom } from '../looks-random.js';
import { isPassword, isTemplate } from '../passwords.js';

/** The endings of names of secrets, and the text that may follow in the name. */
const NAME =
  'pass(?:word|wd|phrase)|secret|(?:api|access|private|encryption|signing|auth|account|master|sas|app|application|license|pre-?shared|topic|function|event|admin)[_-]?key|_pwd|(?<![A-Za-z])pwd|[_-]pass|_pat|passcode|auth_code|bw_session|credentials|(?<![A-Za-z])pass|[_-]token|(?:access|auth|api|bot|refresh|session|bearer|identity)token';
const MORE = '(?:[_-]?(?:key|base|value|prod|production|dev|staging|live|test|default|old|new|[0-9]{1,3})){0,2}';
/** The separators in JSON, and in JSON inside of JSON. */
const QUOTE = '\\\\{0,16}["\'`]';
const IS = `(?:${NAME}|(?<![a-z])token)${MORE}(?:${QUOTE})?\\]? {0,8}(?::=|=>|[:=]) {0,8}`;

/** Other values are not searched: many numbers have such names. */
const HAS_DIGIT_BEHIND = /^\d*[^\d,}]+\d/;

/** Names in nearly every spelling, followed by a value with a digit after another character. */
export const ASSIGNMENT_ANCHORS: readonly string[] = listAssignmentAnchors();

/** Names of passwords alone: short values of other names are mostly no secrets. */
const PASSWORD = 'pass(?:word|wd|phrase)|_pwd|(?<![A-Za-z])pwd';
const SHORT = '{5,11}';
const UNQUOTED = '[^\\s"\'`\\\\,;&<>(){}[\\]]';
const PASSWORD_ANCHORS = ['asswor', 'ASSWOR', 'asswd', 'ASSWD', 'assphra', 'ASSPHRA', 'pwd', 'PWD', 'Pwd'];

/**
 * The forms of a short password: in quotes, after a bare `=`, and after a colon with a space. Code has a space around
 * `=`.
 */
const SHORT_PASSWORDS: readonly string[] = [
  `(?:${PASSWORD})(?:${QUOTE})?\\]? {0,8}(?::=|=>|[:=]) {0,8}${QUOTE}(?<secret>[^\\s"'\`\\\\]${SHORT})["'\`\\\\]`,
  `(?:${PASSWORD})=(?<secret>${UNQUOTED}${SHORT})(?=[\\s;&"'\`\\\\]|$)`,
  `(?:${PASSWORD}): {1,8}(?<secret>${UNQUOTED}${SHORT})(?=[\\s"'\`\\\\]|$)(?! {1,8}[},)])`,
];

const VALUE_START = '[\\\\]{0,16}["\'`]{0,1}[^\\s"\'`\\\\,;&<>(){}]';
const VALUE = `${VALUE_START}{8}`;
const SHORT_VALUE = `${VALUE_START}{5}`;

export const assignedSecrets: readonly SecretPattern[] = [
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'value of a secret',
    anchors: ASSIGNMENT_ANCHORS,
    pattern: new RegExp(`${IS}${QUOTE}(?<secret>[^\\s"'\`\\\\,}]{8}[^\\s"'\`\\\\]{0,392})["'\`\\\\]`, 'dgi'),
    isSecret: (value) => HAS_DIGIT_BEHIND.test(value) && looksRandom(value),
  }),
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'value of a secret',
    anchors: ASSIGNMENT_ANCHORS,
    // A call or a member access ends differently.
    pattern: new RegExp(`${IS}(?<secret>[^\\s"'\`\\\\,;&<>(){}[\\]]{12,400})(?=[\\s"'\`\\\\,;&>)}\\]]|</|$)`, 'dgi'),
    isSecret: (value) => HAS_DIGIT_BEHIND.test(value) && looksRandom(value),
  }),
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'password',
    anchors: [
      ...['asswor', 'ASSWOR', 'asswd', 'ASSWD', 'assphra', 'ASSPHRA', '_pwd', '_PWD'].map(
        (name) => `${name}[A-Za-z_]{0,8}[\\\\]{0,16}["'\`]{0,1}[ ]{0,8}[:=]{1}[ ]{0,8}${VALUE}`,
      ),
      ...['pwd=', 'Pwd='].map((name) => name + VALUE),
    ],
    // Typical made-up values: words followed by digits.
    pattern:
      /(?:(?:pass(?:word|wd|phrase)|_pwd)["']? {0,8}[:=] {0,8}|(?<![a-z])pwd=)(?<quote>["'])?(?<secret>[^\s"'`\\,;&<>(){}[\]]{8,64})(?=["'\s,;&]|<\/|$)/dgi,
    isSecret: (value) => isPassword(value) && !isTemplate(value) && isMadeByPeople(value),
  }),
  ...SHORT_PASSWORDS.map((source) =>
    definePattern({
      secretClass: 'assigned-secret',
      kind: 'password',
      anchors: PASSWORD_ANCHORS.map(
        (name) =>
          `${name}[A-Za-z_]{0,8}[\\\\]{0,16}["'\`]{0,1}[\\]]{0,1}[ ]{0,8}[:=]{1}[=>]{0,1}[ ]{0,8}${SHORT_VALUE}`,
      ),
      pattern: new RegExp(source, 'dgi'),
      isSecret: (value) => isPassword(value) && !IS_NAME.test(value),
    }),
  ),
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'value in a false placeholder',
    anchors: ['REDACTED:[a-z0-9-]{16}'],
    pattern: /\[REDACTED:(?<secret>[a-z0-9-]{16,100}):\d{1,9}\]/dg,
    // The names of kinds are words.
    isSecret: (name) => looksRandom(name, 16),
  }),
];

/**
 * Variables with a number, algorithms, keys of objects, and paths: `arg1`, `sha256`, `password_1`, `auth.v2`, `a1/b`.
 */
const IS_NAME =
  /^(?:arg|args|val|value|str|string|param|field|input|var|key|hash|text|item|type|name|opt|num|int|line|len|sha|md|utf|base|oauth|aes|rsa|pbkdf|argon|bcrypt|ipv|v|p|x|s|a|b)[-_]?\d+$|^\$|[.:/_]/i;

/** A word or two followed by two digits or more, perhaps with a sign: `hunter2222222`, `Winter2024!`. */
function isMadeByPeople(value: string): boolean {
  return (
    /^[A-Za-z]{3,20}[._@!#-]?\d{2,12}(?:[A-Za-z]{0,12})[!?.#*$]{0,3}$/.test(value) &&
    !/^\w*(?:sha|md|utf|base|x)\d+$/i.test(value)
  );
}

/** Whether a name is typical of secrets. */
export function isSecretName(name: string): boolean {
  return name.length < 100 && WHOLE_NAME.test(name);
}

const WHOLE_NAME = new RegExp(`(?:${NAME}|(?<![a-z])token)${MORE}$`, 'i');

function listAssignmentAnchors(): readonly string[] {
  const words =
    'asswor asswd assphra ecret oken _pwd pwd _key -key -Key _pass -pass pass _pat uth_code w_session redential Api-Key'.split(
      ' ',
    );
  const keys =
    'api access private encryption signing auth account master license preshared application topic function event admin'
      .split(' ')
      .map((of) => of.slice(1));
  const names = [...words, ...keys.flatMap((of) => [`${of}Key`, `${of}key`])];
  const is = '[A-Za-z0-9_-]{0,24}[\\\\]{0,16}["\'`]{0,1}[\\]]{0,1}[ ]{0,8}[:=]{1}[=>]{0,1}[ ]{0,8}';
  const value = '["\'`]{0,1}[0-9]{0,400}[^\\s"\'`\\\\,}0-9]{1,400}[0-9]{1}';
  return [...new Set([...names, ...names.map((name) => name.toUpperCase())])].map((name) => name + is + value);
}

/** A command with a password: its syntax, and the anchors that find it. */
interface CommandRow {
  readonly kind: string;
  readonly anchors: readonly string[];
  /** The source of the text before the password. */
  readonly before: string;
  readonly isSecret?: (value: string) => boolean;
}

const QUOTES = '["\'\\\\]{0,8}';
const ARGUMENT = '[^\\s"\'\\\\-]{1}[^\\s"\'\\\\]{5}';
/** The words of a command up to its option. */
const WORDS = '[^\\n|;&]{0,200}?\\s';
const OPTIONS = 'password passwd pass passphrase token api-key secret secret-key auth-token access-token client-secret';

const COMMANDS: readonly CommandRow[] = [
  {
    kind: 'password of curl',
    anchors: [
      ` -u ${QUOTES}[A-Za-z0-9_.@+-]{1,100}:${ARGUMENT}`,
      `--user[ =]{1,2}${QUOTES}[A-Za-z0-9_.@+-]{1,100}:${ARGUMENT}`,
    ],
    before: '(?<![\\w-])(?:-u|--user)[ =]{1,2}["\']?[\\w.@%+-]{1,100}:',
  },
  {
    kind: 'password of a database',
    anchors: ['mysql', 'mysqldump', 'mysqladmin'].map((name) => `${name} [A-Za-z-]{1}`),
    before: `(?<!\\w)(?:mysql|mysqldump|mysqladmin)${WORDS}-p`,
  },
  {
    kind: 'password of a host',
    anchors: [`sshpass[ ]{1,4}-p[ ]{0,4}${QUOTES}${ARGUMENT}`],
    before: 'sshpass {1,4}-p {0,4}["\']?',
  },
  {
    kind: 'password of Redis',
    anchors: ['redis-cli[ ]{1,4}-'],
    before: `redis-cli${WORDS}(?:-a|--pass) {1,4}["']?`,
  },
  {
    kind: 'password of a key',
    anchors: [` pass:${ARGUMENT}`],
    before: '-(?:pass|passin|passout|k) {1,4}["\']?pass:',
  },
  {
    kind: 'password of a registry',
    anchors: ['docker login ', 'ogin -u', 'ogin --u', 'ogin -p', 'ogin --p'],
    before: `(?:docker|podman|helm registry|skopeo|nerdctl|oras) login${WORDS}(?:-p|--password)[ =]["']?`,
  },
  {
    kind: 'value of a secret option',
    anchors: OPTIONS.split(' ').map((name) => `--${name}[ =]{1,4}${QUOTES}${ARGUMENT}`),
    before: `--(?:[a-z]{1,20}-)?(?:${OPTIONS.replaceAll(' ', '|')})(?:=| {1,4})["']?`,
    isSecret: (value) => isPassword(value) && looksRandom(value),
  },
];

/** Passwords that are passed to commands as arguments. */
export const commandPasswords: readonly SecretPattern[] = COMMANDS.map(
  ({ kind, anchors, before, isSecret = isPassword }) =>
    definePattern({
      secretClass: 'assigned-secret',
      kind,
      anchors,
      pattern: new RegExp(`${before}(?<secret>[^\\s"'\`\\\\-][^\\s"'\`\\\\,;)<]{5,200})`, 'dg'),
      isSecret,
    }),
);
