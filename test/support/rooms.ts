/** The rooms of src/. A room imports itself and the rooms before it. */
export const ROOMS = ['base', 'session', 'platform', 'context', 'analysis', 'change', 'lab', 'ui', 'live', 'cli'];
