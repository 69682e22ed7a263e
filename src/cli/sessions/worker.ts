import { nodeFiles } from '#platform/io.js';
import { doJob, type Jobs } from './parallel.js';

/** The work of a thread. */
export default function work<Name extends keyof Jobs>(task: {
  readonly job: Name;
  readonly input: Jobs[Name]['input'];
}): Promise<Jobs[Name]['output']> {
  return doJob(nodeFiles, task.job, task.input);
}
