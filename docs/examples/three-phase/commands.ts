import { defineInjector } from 'pi-ctx/engine';

/** Names the last three commands of the assistant. */
export default defineInjector(({ messages }) => {
  const blocks = messages.flatMap(({ role, content }) =>
    role === 'assistant' && Array.isArray(content) ? content : [],
  );
  const commands = blocks.flatMap((block) => {
    const { command } = block.arguments ?? {};
    return typeof command === 'string' ? [`- ${command.split('\n')[0]}`] : [];
  });
  return commands.length === 0 ? null : { heading: 'Last commands', text: commands.slice(-3).join('\n') };
});
