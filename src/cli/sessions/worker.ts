import { nodeFiles } from '#platform/io.js';
import { doJob, type Jobs } from './parallel.js';

/** What a thread does with what it is given. */
export default function work<Name extends keyof Jobs>(task: {
  readonly job: Name;
  readonly input: Jobs[Name]['input'];
}): Promise<Jobs[Name]['output']> {
  return doJob(nodeFiles, task.job, task.input);
}
