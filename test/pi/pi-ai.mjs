// The package pi-ai of Pi's own bundle: the code and the models that people run. Some registries lack the package itself in
// this version.
import { readdirSync, readFileSync } from 'node:fs';

const chunks = new URL('./node_modules/@earendil-works/pi-coding-agent/dist/bundle/chunks/', import.meta.url);

/** The parts of the bundle, each with the names that it exports. */
const exported = readdirSync(chunks)
  .filter((file) => file.endsWith('.js'))
  .map((file) => [file, /export\{([^{}]*)\};\s*$/.exec(readFileSync(new URL(file, chunks), 'utf8'))?.[1] ?? '']);

function importChunk(isWanted) {
  const files = exported.filter(([file, names]) => isWanted(file, names.split(','))).map(([file]) => file);
  if (files.length !== 1) throw new Error(`the bundle of Pi has ${files.length} such chunks`);
  return import(new URL(files[0], chunks).href);
}

const importExporterOf = (name) => importChunk((_file, names) => names.includes(name));

export const { getCurrentSystemPrompt, getCurrentTools, calculateCost } = await importExporterOf('calculateCost');
export const { PI_AI_VERSION } = await importExporterOf('PI_AI_VERSION');

const catalogue = await importExporterOf('getProviders');

export const {
  createFauxCore,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  getOverflowPatterns,
  isContextOverflow,
} = catalogue;

/** The models of each provider. */
export const MODELS = Object.fromEntries(catalogue.getProviders().map((name) => [name, catalogue.getModels(name)]));

/** Imports the module of an API, such as `anthropic-messages`. */
export const importApi = (api) => importChunk((file) => /^(.*)-[A-Z0-9]{8}\.js$/.exec(file)?.[1] === api);
