// Loaded before ctx where its output is compared: the clock stands still, and new ids follow one another.
let count = 0xd0000000;
globalThis.crypto.randomUUID = () => `${(count += 1).toString(16)}-0000-4000-8000-000000000000`;
Date.now = () => Date.UTC(2026, 2, 3, 9);
