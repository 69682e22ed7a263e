import type { Head } from '#session/heads/head.js';
import type { DriveOptions, DriveSource } from './drive-options.js';
import { EngineCompactions } from './engine-compactions.js';
import { ProgressLog } from './progress-log.js';
import { Recording } from './recording.js';
import { RequestBuilder } from './request-builder.js';
import { Transcript } from './transcript/transcript.js';

/** A session with an engine in charge: the recorded entries so far, and what the engine makes of them. */
export interface DrivenSession {
  readonly source: DriveSource;
  readonly recording: Recording;
  readonly transcript: Transcript;
  readonly requests: RequestBuilder;
  readonly compactions: EngineCompactions;
  readonly progress: ProgressLog;
}

export function openDrivenSession(
  source: DriveSource,
  { path, baseline = {} }: Pick<DriveOptions, 'baseline'> & { readonly path: readonly Head[] },
): DrivenSession {
  const progress = new ProgressLog();
  const recording = new Recording(source, path, { baseline, progress });
  const transcript = new Transcript(source);
  const requests = new RequestBuilder(recording, transcript);
  const compactions = new EngineCompactions(recording, transcript, requests, progress);
  return { source, recording, transcript, requests, compactions, progress };
}
