import { isObject, parseJson } from '#base/json.js';
import { isOhMyPi, OWN_HEADER_MEMBERS, OWN_ROLES, OWN_TYPES } from './oh-my-pi/detect.js';
import { isOpenClaw } from './openclaw/detect.js';

/**
 * Matches a record that a fork of Pi writes, oh-my-pi or OpenClaw, whose sessions begin like Pi's. In a text within a
 * record, the quotes are escaped.
 */
const RECORD_OF_FORK = new RegExp(
  [
    new RegExp(String.raw`"type"\s*:\s*"(?:${joinNames(OWN_TYPES)}|title|reset|leaf)"`),
    new RegExp(String.raw`"role"\s*:\s*"(?:${joinNames(OWN_ROLES)})"`),
    new RegExp(
      String.raw`^\s*\{\s*"type"\s*:\s*"session"[^\n]{0,4000}"(?:${joinNames(OWN_HEADER_MEMBERS)}|openclaw)"\s*:`,
    ),
    /^\s*\{\s*"type"\s*:\s*"session"[^\n]{0,4000}"version"\s*:\s*4\b/,
    /"type"\s*:\s*"model_change"[^\n]{0,400}"model"\s*:/,
    /"(?:__openclaw|appendMode)"\s*:/,
    /"customType"\s*:\s*"(?:session_exit|model-snapshot|openclaw[.:])/,
    /"provider"\s*:\s*"openclaw"/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** The bytes of a file in which such a record is looked for. */
export const FORK_BYTES = 1 << 16;

/** Whether a fork of Pi wrote a file with this beginning, which may end within a line. */
export function isForkOfPi(beginning: string): boolean {
  if (!RECORD_OF_FORK.test(beginning)) return false;
  const first = beginning.split('\n').map(parseJson).filter(isObject);
  return isOhMyPi(first) || isOpenClaw(first);
}

function joinNames(names: Iterable<unknown>): string {
  return [...names].join('|');
}
