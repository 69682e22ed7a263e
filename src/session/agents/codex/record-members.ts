import { isPlainName, type RecordMembers } from '../record-members.js';

/** The members of a record of Codex. */
export const codexMembers: RecordMembers = {
  isOfFormat: isPlainName,
  links: new Set(
    (
      'type role id call_id callId item_id turn_id session_id thread_id forked_from_id parent_thread_id timestamp status ' +
      'phase model_provider cli_version originator'
    ).split(' '),
  ),
  opaque: new Set(['encrypted_content']),
  free: new Set(['parameters', 'inputSchema', 'input_schema', 'structuredContent']),
  named: new Set(),
  images: new Set(),
};
