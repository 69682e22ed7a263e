// Reads Pi's summary prompt on standard input, as `llm` or another model program does, and writes a summary.
import { text } from 'node:stream/consumers';

const prompt = await text(process.stdin);
const requests = [...prompt.matchAll(/^\[User\]: (.*)$/gm)].map(([, request]) => request);
console.log(`${requests.length} requests of the user are done. The first was: ${requests[0] ?? 'none'}`);
