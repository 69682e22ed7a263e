import path from 'node:path';
import { asObject } from '#base/json.js';
import type { SessionBundle } from '../bundle.js';

/** A session of Cline 4: the messages, and beside them the session itself and its newest compaction. */
export const clineSession: SessionBundle = {
  session: /[^\\/]\.messages\.json$/,
  label: { key: 'cline', value: 'session' },
  key: null,
  list(session) {
    const stem = session.slice(0, -'.messages.json'.length);
    // The messages of a subagent are in the folder of the session that started it, which has no session file of its
    // own.
    return [
      { key: 'manifest', file: `${stem}.json`, pick: pickManifest, isSmall: true },
      { key: 'compaction', file: `${stem}.compaction.json` },
    ];
  },
};

/** The fields that the messages do not have. */
function pickManifest(value: unknown): unknown {
  const { cwd, started_at, model, provider, metadata } = asObject(value);
  const { title, fork } = asObject(metadata);
  return { cwd, started_at, model, provider, title, fork };
}

/** A task of Cline before 4: the messages, what the screen shows with the tokens of each request, and changed texts. */
export const clineTask: SessionBundle = {
  // Roo Code and Kilo Code, which are made from Cline, leave out messages by other rules.
  session: /^(?!.*(?:roo-cline|kilo-code)).*(?:^|[\\/])api_conversation_history\.json$/s,
  label: { key: 'cline', value: 'task' },
  key: 'messages',
  list(session) {
    const folder = path.dirname(session);
    return [
      { key: 'ui', file: path.join(folder, 'ui_messages.json') },
      { key: 'edits', file: path.join(folder, 'context_history.json') },
      { key: 'metadata', file: path.join(folder, 'task_metadata.json'), pick: pickVersions },
    ];
  },
};

function pickVersions(value: unknown): unknown {
  const { environment_history, model_usage } = asObject(value);
  return { environment_history, model_usage };
}
