/** What matters of a message where calls and results are paired. */
export interface PairMessage {
  readonly role: 'user' | 'assistant' | 'toolResult';
  /** Those of the calls of an answer; of a result, that of its call. */
  readonly ids: readonly string[];
  /** An answer that ended in an error. */
  readonly isFailed?: boolean;
}

/** What Pi's `transformMessages` makes of messages, written down a second time; `added` counts the results it invents. */
export function repaired(messages: readonly PairMessage[]): {
  readonly sent: readonly PairMessage[];
  readonly added: number;
} {
  const sent: PairMessage[] = [];
  let added = 0;
  let pending: readonly string[] = [];
  let answered = new Set<string>();
  const close = (): void => {
    for (const id of pending) {
      if (answered.has(id)) continue;
      sent.push({ role: 'toolResult', ids: [id] });
      added += 1;
    }
    pending = [];
    answered = new Set();
  };
  for (const message of messages) {
    if (message.role === 'toolResult') for (const id of message.ids) answered.add(id);
    else close();
    if (message.isFailed) continue;
    if (message.role === 'assistant' && message.ids.length > 0) {
      pending = message.ids;
      answered = new Set();
    }
    sent.push(message);
  }
  close();
  return { sent, added };
}

/** Whether Anthropic takes a request: directly behind each answer, one result for each of its calls and no other. */
export function isAccepted(sent: readonly PairMessage[]): boolean {
  const known = new Set<string>();
  let open = new Set<string>();
  for (const { role, ids } of sent) {
    if (role === 'toolResult') {
      if (!ids.every((id) => open.delete(id))) return false;
      continue;
    }
    if (open.size > 0) return false;
    if (role !== 'assistant') continue;
    for (const id of ids) {
      if (known.has(id)) return false;
      known.add(id);
    }
    open = new Set(ids);
  }
  return open.size === 0;
}
