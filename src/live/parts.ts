import command from './command/command.js';
import type { LivePart } from './define.js';
import gate from './gate/gate.js';
import pipeline from './pipeline/pipeline.js';
import recorder from './recorder.js';
import statusLine from './status-line.js';
import transforms from './transforms.js';

/** The parts of the extension, in the order in which their handlers run. */
export const parts: readonly LivePart[] = [transforms, pipeline, gate, command, statusLine, recorder];
