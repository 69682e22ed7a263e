import type { Table } from './define.js';
import { entries } from './entries.js';
import { envelopes } from './envelopes.js';
import { messages } from './messages.js';
import { sessions } from './sessions.js';
import { toolCalls } from './tool-calls.js';
import { usage } from './usage.js';

/** Every table, in the order in which they are documented. */
export const tables = [sessions, entries, messages, toolCalls, usage, envelopes] as const satisfies readonly Table[];

export type TableName = (typeof tables)[number]['name'];

/** Counts up when a column changes what it means, or goes. */
export const TABLES_VERSION = 1;
