import { isPlainName, type RecordMembers } from '../../record-members.js';

/** The members of a record of Claude Code. */
export const claudeMembers: RecordMembers = {
  isOfFormat: isPlainName,
  links: new Set(
    (
      'type subtype role id uuid uuids allUuids parentUuid logicalParentUuid leafUuid anchorUuid headUuid tailUuid ' +
      'sessionId session_id messageId messageUuid promptId requestId agentId tool_use_id toolUseId toolUseID ' +
      'parentToolUseID sourceToolUseID sourceToolAssistantUUID timestamp version stop_reason media_type operation'
    ).split(' '),
  ),
  opaque: new Set(['signature']),
  free: new Set(['input', 'toolUseResult', 'data', 'input_schema']),
  named: new Set(),
  images: new Set(['base64']),
};
