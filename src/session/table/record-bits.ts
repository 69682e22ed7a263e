import { packed, TYPES } from '../scan/line-scanner.js';
import { KIND } from './ids.js';

/** The number of the type that nearly all entries have. */
export const MESSAGE = TYPES.indexOf('message') + 1;

/** Where the flags of a record say what. A call for it costs more than all else where it is done for each entry. */
const NOTHING = { type: 0, role: 0, id: 0, parentId: 0, target: 0, hasSummary: 0 };
export const TYPE_BITS = packed({ ...NOTHING, type: 255 });
export const ID_BITS = packed({ ...NOTHING, id: KIND.strange });
export const ID_DIGITS = packed({ ...NOTHING, id: KIND.digits });
export const PARENT_BITS = packed({ ...NOTHING, parentId: KIND.strange });
export const PARENT_DIGITS = packed({ ...NOTHING, parentId: KIND.digits });
