import { writeTrajectory } from '#change/convert/trajectory.js';
import type { SessionFormat } from './define.js';

/** A trajectory, which ctx reads back as the session. */
export default {
  name: 'atif',
  takes: 'session',
  summary: 'a trajectory in ATIF 1.7, the interchange format of Harbor; ctx reads it back as it was',
  leavesOut: ['Other branches: --at selects one.', 'The sessions of subagents.'],
  async *write({ session, path }) {
    yield* writeTrajectory(session, path);
  },
} satisfies SessionFormat;
