import { attempt } from '#base/errors.js';
import { parseJson } from '#base/json.js';
import type { BundledFile, SessionBundle } from '#session/agents/bundle.js';
import { BUNDLES } from '#session/agents/bundles.js';
import { toByteSource } from '#session/scan/byte-source.js';
import type { Files } from './files.js';
import type { FolderWalkOptions, FoundFile } from './walk-folder.js';

/** Reads a session whose agent keeps parts of it in other files as one document. */
export function withBundledSessions(files: Files): Files {
  const readWhole = (file: string, bundle: SessionBundle): Uint8Array => joinPieces(listPieces(files, file, bundle));
  const addSizes = (found: FoundFile): FoundFile => {
    const bundle = findBundle(found.file);
    return bundle ? measureBundle(files, found, bundle) : found;
  };
  return {
    ...files,
    async open(file) {
      const source = await files.open(file);
      const bundle = findBundle(file);
      if (!bundle || source.size > MOST_BYTES) return source;
      return { ...toByteSource(readWhole(file, bundle)), own: source, close: () => source.close() };
    },
    modified(file) {
      const bundle = findBundle(file);
      return bundle && files.exists(file)
        ? Math.max(...listFiles(file, bundle).map((each) => files.modified(each)))
        : files.modified(file);
    },
    state(file, now) {
      const bundle = findBundle(file);
      const own = files.state(file, now);
      if (!bundle || own === null) return own;
      const beside = listFiles(file, bundle).slice(1).filter(files.exists);
      const states = beside.map((each) => files.state(each, now));
      return states.includes(null) ? null : [own, ...states].join(' ');
    },
    beginning(file, most) {
      const bundle = findBundle(file);
      return bundle ? joinPieces(listPieces(files, file, bundle, most)).subarray(0, most) : files.beginning(file, most);
    },
    ending(file, most) {
      const bundle = findBundle(file);
      if (!bundle) return files.ending(file, most);
      const bytes = readWhole(file, bundle);
      return bytes.subarray(Math.max(0, bytes.length - most));
    },
    walk(folder, options) {
      const walk = files.walk(folder, options);
      return { ...walk, files: walk.files.map(addSizes) };
    },
  };
}

/** The longest text of a document. */
const MOST_BYTES = 2 ** 29 - 24;

function findBundle(file: string): SessionBundle | null {
  return BUNDLES.find(({ session }) => session.test(file)) ?? null;
}

/** The session first. */
function listFiles(file: string, bundle: SessionBundle): readonly string[] {
  return [file, ...bundle.list(file).map((beside) => beside.file)];
}

/**
 * Links beside a session are not followed: they may lead to files that may not be read, outside of the folders of `ctx
 * mcp --root`.
 */
const BESIDE: FolderWalkOptions = { withoutLinks: true };

/** A session as large as its document can be, and as new as its newest file. */
function measureBundle(files: Files, found: FoundFile, bundle: SessionBundle): FoundFile {
  const beside = bundle.list(found.file).flatMap(({ file }) => files.walk(file, BESIDE).files);
  const size = beside.reduce((sum, one) => sum + one.size, found.size) + KEY_BYTES * (beside.length + 1);
  return { ...found, size, modified: Math.max(found.modified, ...beside.map(({ modified }) => modified)) };
}

/** The most bytes that a key and its punctuation have. */
const KEY_BYTES = 64;

const OPENING = /^\s*\{/;
const CLOSING = /\}\s*$/;

/**
 * The pieces of a document, or only those of its first `most` bytes. A session that is torn ends the document, so that
 * it is damaged as its file is.
 */
function listPieces(files: Files, file: string, bundle: SessionBundle, most = Infinity): readonly Uint8Array[] {
  const { label, key } = bundle;
  const beside = bundle.list(file);
  const before = [
    `${JSON.stringify(label.key)}:${JSON.stringify(label.value)}`,
    ...beside.filter(({ isSmall }) => isSmall).flatMap((one) => readMember(files, one)),
  ];
  const own = readBytes(files, file, most);
  if (own.length === 0) return [];
  const start = `{${before.join(',')}`;
  const isCut = own.length >= most;
  if (key !== null) {
    const pieces = [toBytes(`${start},${JSON.stringify(key)}:`), own];
    return isCut ? pieces : [...pieces, toBytes(`${readAfter(files, beside)}}`)];
  }
  const whole = new TextDecoder().decode(own);
  // Any other value has no keys to add: it is refused under its own form.
  if (!OPENING.test(whole)) return [own];
  const inside = whole.replace(OPENING, '');
  if (isCut || !CLOSING.test(inside)) return [toBytes(`${start},${inside}`)];
  const members = inside.replace(CLOSING, '').trim();
  return [toBytes(`${start}${members === '' ? '' : `,${members}`}${readAfter(files, beside)}}`)];
}

function toBytes(part: string): Uint8Array {
  return new TextEncoder().encode(part);
}

type BundledFiles = ReturnType<SessionBundle['list']>;

function readAfter(files: Files, beside: BundledFiles): string {
  const members = beside.filter(({ isSmall }) => !isSmall).flatMap((one) => readMember(files, one));
  return members.map((member) => `,${member}`).join('');
}

/** The key and the value of a file; nothing if it cannot be read, or is nested too deeply to be serialised. */
function readMember(files: Files, { key, file, pick = (value) => value }: BundledFile): readonly string[] {
  const value = parseJson(new TextDecoder().decode(readBytes(files, file, Infinity, BESIDE)));
  const member = value === undefined ? undefined : attempt(() => JSON.stringify(pick(value)), undefined);
  return member === undefined ? [] : [`${JSON.stringify(key)}:${member}`];
}

/** Reads a regular file only: opening a pipe would wait for a writer. */
function readBytes(files: Files, file: string, most = Infinity, options: FolderWalkOptions = {}): Uint8Array {
  const found = attempt(() => files.walk(file, options).files, []).find((one) => one.file === file);
  return found && found.size <= MOST_BYTES ? files.beginning(file, Math.min(found.size, most)) : new Uint8Array();
}

function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? (pieces[0] ?? new Uint8Array()) : Buffer.concat(pieces);
}
