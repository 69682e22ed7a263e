import { type SecretPattern, shaped } from '../define.js';
import { isPassword, looksRandom } from '../looks-random.js';

/** A command with a password: its syntax, and the anchors that find it. */
interface CommandRow {
  readonly kind: string;
  readonly anchors: readonly string[];
  /** The source of the text before the password. */
  readonly before: string;
  readonly isSecret?: (value: string) => boolean;
}

const QUOTE = '["\'\\\\]{0,8}';
const VALUE = '[^\\s"\'\\\\-]{1}[^\\s"\'\\\\]{5}';
/** The words of a command up to its option. */
const WORDS = '[^\\n|;&]{0,200}?\\s';
const NAMES = 'password passwd pass passphrase token api-key secret secret-key auth-token access-token client-secret';

const ROWS: readonly CommandRow[] = [
  {
    kind: 'password of curl',
    anchors: [
      ` -u ${QUOTE}[A-Za-z0-9_.@+-]{1,100}:${VALUE}`,
      `--user[ =]{1,2}${QUOTE}[A-Za-z0-9_.@+-]{1,100}:${VALUE}`,
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
    anchors: [`sshpass[ ]{1,4}-p[ ]{0,4}${QUOTE}${VALUE}`],
    before: 'sshpass {1,4}-p {0,4}["\']?',
  },
  {
    kind: 'password of Redis',
    anchors: ['redis-cli[ ]{1,4}-'],
    before: `redis-cli${WORDS}(?:-a|--pass) {1,4}["']?`,
  },
  {
    kind: 'password of a key',
    anchors: [` pass:${VALUE}`],
    before: '-(?:pass|passin|passout|k) {1,4}["\']?pass:',
  },
  {
    kind: 'password of a registry',
    anchors: ['docker login ', 'ogin -u', 'ogin --u', 'ogin -p', 'ogin --p'],
    before: `(?:docker|podman|helm registry|skopeo|nerdctl|oras) login${WORDS}(?:-p|--password)[ =]["']?`,
  },
  {
    kind: 'value of a secret option',
    anchors: NAMES.split(' ').map((name) => `--${name}[ =]{1,4}${QUOTE}${VALUE}`),
    before: `--(?:[a-z]{1,20}-)?(?:${NAMES.replaceAll(' ', '|')})(?:=| {1,4})["']?`,
    isSecret: (value) => isPassword(value) && looksRandom(value),
  },
];

/** Passwords that are passed to commands as arguments. */
export const commands: readonly SecretPattern[] = ROWS.map(({ kind, anchors, before, isSecret = isPassword }) =>
  shaped({
    means: 'assigned-secret',
    kind,
    anchors,
    pattern: new RegExp(`${before}(?<secret>[^\\s"'\`\\\\-][^\\s"'\`\\\\,;)<]{5,200})`, 'dg'),
    isSecret,
  }),
);
