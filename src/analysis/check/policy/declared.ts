import { asString } from '#base/json.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Hit } from '../define.js';

/** The names of the system parts that say something. */
export function partNames({ system: { parts } }: ContextEnvelope): readonly string[] {
  return parts.filter(({ text }) => text !== '').map(({ name }) => name);
}

export function toolNames({ tools }: ContextEnvelope): readonly string[] {
  return tools.flatMap(({ name }) => asString(name) ?? []);
}

/** For a session that does not say what its prompt or its tools were. */
export function unrecorded(what: string): Hit {
  return {
    message: `the session does not record its ${what}, so nobody can tell what is in there`,
    fix: 'supply it with "contextBaseline" in the configuration',
  };
}
