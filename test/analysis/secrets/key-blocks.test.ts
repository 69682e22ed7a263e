import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '#analysis/secrets/find-secrets.js';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import { Redactor } from '#change/redact/redactor.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { diceOf } from '../../support/seeded-secrets.js';

const dice = diceOf(44);

function linesOf(characters: string, length: number, count: number): readonly string[] {
  return Array.from({ length: count }, () => dice(characters, length));
}

const BASE64 = 'A-Za-z0-9+/';

/** A key file by its form, and the lines of it that are secret. */
const KEYS: Readonly<
  Record<
    string,
    { readonly head: readonly string[]; readonly body: readonly string[]; readonly foot: readonly string[] }
  >
> = {
  PEM: {
    head: ['-----BEGIN RSA PRIVATE KEY-----'],
    body: linesOf(BASE64, 64, 8),
    foot: ['-----END RSA PRIVATE KEY-----'],
  },
  'encrypted PEM': {
    head: ['-----BEGIN RSA PRIVATE KEY-----', 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,00AB', ''],
    body: linesOf(BASE64, 64, 6),
    foot: ['-----END RSA PRIVATE KEY-----'],
  },
  PGP: {
    head: ['-----BEGIN PGP PRIVATE KEY BLOCK-----', 'Comment: of the weather station', ''],
    body: [...linesOf(BASE64, 64, 7), `=${dice(BASE64, 4)}`],
    foot: ['-----END PGP PRIVATE KEY BLOCK-----'],
  },
  PuTTY: {
    head: ['PuTTY-User-Key-File-3: ssh-ed25519', 'Encryption: none', 'Comment: ada', 'Private-Lines: 3'],
    body: linesOf(BASE64, 64, 3),
    foot: [`Private-MAC: ${dice('a-f0-9', 64)}`],
  },
  SSH2: {
    head: ['---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----', 'Comment: "2048-bit rsa"'],
    body: linesOf(BASE64, 70, 6),
    foot: ['---- END SSH2 ENCRYPTED PRIVATE KEY ----'],
  },
  OpenVPN: {
    head: ['#', '# 2048 bit OpenVPN static key', '#', '-----BEGIN OpenVPN Static key V1-----'],
    body: linesOf('a-f0-9', 32, 16),
    foot: ['-----END OpenVPN Static key V1-----'],
  },
};

/** What tools write before a line. */
const PRINTED: Readonly<Record<string, (line: string, at: number) => string>> = {
  'as it is': (line) => line,
  'with arrows': (line, at) => `${String(at + 1).padStart(6)}→${line}`,
  'with tabs': (line, at) => `${String(at + 1).padStart(6)}\t${line}`,
  'with bars': (line, at) => `${at + 8}|${line}`,
  'with padded bars': (line, at) => `${String(at + 8).padStart(4)} | ${line}`,
  'with colons': (line, at) => `${at + 8}: ${line}`,
  'as matches of grep': (line, at) => `keys/station.pem:${at + 1}:${line}`,
  'as context of grep': (line, at) => `${at + 1}-${line}`,
  added: (line) => `+${line}`,
  removed: (line) => `-${line}`,
  'in a numbered diff': (line, at) => `${String(at + 3).padStart(5)} +${line}`,
  quoted: (line) => `> ${line}`,
  'quoted twice': (line) => `>> ${line}`,
  'with numbers in a quote': (line, at) => `> ${at + 1}| ${line}`,
  commented: (line) => `# ${line}`,
  indented: (line) => `        ${line}`,
  'with line breaks of Windows': (line) => `${line}\r`,
  'with numbers and line breaks of Windows': (line, at) => `${String(at + 1).padStart(6)}→${line}\r`,
};

const cases = Object.keys(KEYS).flatMap((form) => Object.keys(PRINTED).map((printed) => [form, printed] as const));

function entryOf(text: string): string {
  return JSON.stringify({ type: 'message', id: 'a1', message: { role: 'user', content: text } });
}

describe.each(cases)('a key of %s %s', (form, printed) => {
  const { head, body, foot } = KEYS[form]!;
  const text = ['$ cat key', ...head, ...body, ...foot, '$ '].map(PRINTED[printed]!).join('\n');

  it.each([
    ['', text],
    ['in JSON', JSON.stringify({ stdout: text })],
    ['in JSON in JSON', JSON.stringify({ body: JSON.stringify({ stdout: text }) })],
  ])('is found and leaves nothing %s', async (_name, written) => {
    expect(findSecrets(written).map(({ secretClass }) => secretClass)).toContain('private-key');
    const source = toByteSource(Buffer.from(`${entryOf(written)}\n`));
    const result = buildRedactedSource(
      source,
      await new Redactor({ values: [], patterns: [] }).redact(source, 's.jsonl'),
    );
    const left = Buffer.from(result.read(0, result.size)).toString();
    expect(body.filter((line) => left.includes(line.slice(-20)))).toEqual([]);
    expect(left).toContain('$ ');
  });
});
