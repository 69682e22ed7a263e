import path from 'node:path';
import { type CompactionSettings, compactionSettings } from '#change/compact/settings.js';
import { findSettings } from '#context/replay/settings.js';
import type { Io } from '#platform/io.js';
import { findAgentFolder } from '#session/agents/pi-folders.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { readJsonFile } from '../read-json.js';

/** Pi's settings for the model at the end of a path: those of the user, then those of the session's project. */
export async function readCompactionSettings(
  io: Io,
  session: Session,
  at: readonly Head[],
  given: { readonly 'keep-recent'?: number | undefined; readonly reserve?: number | undefined },
): Promise<CompactionSettings> {
  const agent = findAgentFolder(io);
  const files = [
    ...(agent === null ? [] : [path.join(agent, 'settings.json')]),
    path.join(session.header.cwd ?? io.cwd, '.pi', 'settings.json'),
  ];
  const values: unknown[] = [];
  for (const file of files) {
    if (io.files.exists(file)) values.push(await readJsonFile(io.files, file));
  }
  const { model } = findSettings(session, at);
  const name = model?.provider === undefined ? null : `${model.provider}/${model.modelId ?? ''}`;
  const { enabled, keepRecentTokens, reserveTokens } = compactionSettings(values, name);
  return {
    enabled,
    keepRecentTokens: given['keep-recent'] ?? keepRecentTokens,
    reserveTokens: given.reserve ?? reserveTokens,
  };
}
