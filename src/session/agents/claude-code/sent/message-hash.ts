import { createHash } from 'node:crypto';
import { canonicalJson } from '#base/canonical-json.js';
import { attemptDeep } from '#base/json-text.js';
import { listContentBlocks } from '../content/content.js';

/** Hashes a message as the client does: the JSON of the message with sorted keys, with a text as a block. */
export class MessageHash {
  private readonly hash = createHash('sha256').update('{"content":[');
  private isEmpty = true;

  /** Adds the blocks of a line. */
  add(content: unknown): this {
    for (const block of listContentBlocks(content)) {
      const text = attemptDeep(() => canonicalJson(block), '');
      this.hash.update(this.isEmpty ? text : `,${text}`);
      this.isEmpty = false;
    }
    return this;
  }

  of(role: string): string {
    return this.hash
      .copy()
      .update(`],"role":${JSON.stringify(role)}}`)
      .digest('hex');
  }
}
