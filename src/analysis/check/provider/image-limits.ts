import type { RequestModel } from '#context/replay/envelope.js';
import { findSettings } from '#context/replay/settings.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';

/** The limits of a provider for the images of a request; null where it has none. */
export interface ImageLimits {
  /** Bytes of the base64 text of an image. */
  readonly bytes: number | null;
  /** Pixels of a side. */
  readonly pixels: number | null;
  /** A request with more images than `many` limits each to `pixelsOfMany` pixels a side. */
  readonly many: number | null;
  readonly pixelsOfMany: number;
  /** The number of images in a request. */
  readonly images: number;
  /** Bytes of the whole request. */
  readonly requestBytes: number;
}

const MB = 1024 * 1024;

/**
 * The API of Claude: 8,000 pixels a side, 2,000 with more than 20 images, 5 MB for each, 32 MB in all
 * (platform.claude.com, "Vision" and "Errors"). The API itself takes 10 MB since 2026; Bedrock and Vertex still take 5.
 */
const ANTHROPIC: ImageLimits = {
  bytes: 5 * MB,
  pixels: 8000,
  many: 20,
  pixelsOfMany: 2000,
  images: 100,
  requestBytes: 32 * MB,
};

/** OpenAI shrinks large images itself: 20 MB for each, 500 in a request of at most 50 MB ("Images and vision"). */
const OPENAI: ImageLimits = {
  bytes: 20 * MB,
  pixels: null,
  many: null,
  pixelsOfMany: 0,
  images: 500,
  requestBytes: 50 * MB,
};

/** Gemini takes 20 MB of inline data in a request with up to 3,600 images ("Image understanding"). */
const GEMINI: ImageLimits = {
  bytes: null,
  pixels: null,
  many: null,
  pixelsOfMany: 0,
  images: 3600,
  requestBytes: 20 * MB,
};

/** The limits for a model. Those of an unknown provider are Anthropic's, which are the strictest. */
export function findImageLimits(model: RequestModel): ImageLimits {
  const provider = (model?.provider ?? '').toLowerCase();
  const name = (model?.modelId ?? '').toLowerCase();
  if (provider.includes('bedrock')) return { ...ANTHROPIC, requestBytes: 20 * MB };
  if (name.includes('claude')) return provider.includes('vertex') ? { ...ANTHROPIC, requestBytes: 30 * MB } : ANTHROPIC;
  if (name.startsWith('gemini') || provider.startsWith('google')) return GEMINI;
  if (/^(?:gpt|o\d|codex)/.test(name) || /^(?:openai|azure)/.test(provider)) return OPENAI;
  return ANTHROPIC;
}

/** The limits of the model that the next request of a session goes to. */
export function findSessionImageLimits(session: Session): ImageLimits {
  return findImageLimits(findSettings(session, activePath(session.tree)).model);
}
