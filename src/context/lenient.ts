import { memoizeByObject } from '#base/memoize.js';
import type { OpenSession } from './open.js';

/** The session, whose replay skips patch ops that break a rule. The same object each time. */
export function toLenient<Opened extends OpenSession>(session: Opened): Opened {
  return lenientForm(session) as Opened;
}

const lenientForm = memoizeByObject((session: OpenSession): OpenSession => ({ ...session, isLenient: true }));
