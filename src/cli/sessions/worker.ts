import { nodeFiles } from '#platform/io.js';
import { doJobs, type Jobs } from './parallel.js';

/** The work of a thread. */
export default function work<Name extends keyof Jobs>(task: {
  readonly job: Name;
  readonly inputs: readonly Jobs[Name]['input'][];
}): ReturnType<typeof doJobs<Name>> {
  return doJobs(nodeFiles, task.job, task.inputs);
}
