import type { IndexFolder } from '#platform/files/index-folder.js';

/** An index in memory. */
export function memoryIndex(): IndexFolder {
  const stored = new Map<string, Uint8Array>();
  return {
    program: 'test',
    read: (name) => stored.get(name) ?? null,
    write: (name, bytes) => void stored.set(name, bytes),
  };
}
