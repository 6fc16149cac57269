import type { FastifyRequest } from 'fastify'

/** Whether a request uses Anthropic's API, which has its own authentication header and error shape. */
export function isMessagesSurface({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  return /^\/v1\/messages(?:[/?]|$)/.test(url) || (headers['anthropic-version'] !== undefined && sharedRoutes.test(url))
}

/** Whether a request uses the native API of llama.cpp's server, whose error codes are numbers. */
export function isNativeSurface({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return nativeRoutes.test(url)
}

/** Whether a request uses Ollama's API, whose errors are strings. */
export function isOllamaSurface({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return /^\/api(?:[/?]|$)/.test(url)
}

/** Whether a request uses A1111's API, whose errors have their message in another field. */
export function isA1111Surface({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return /^\/sdapi(?:[/?]|$)/.test(url)
}

/** Whether a request uses OpenAI's Responses API, which calls a conversation's messages its input. */
export function isResponsesSurface({ url, method }: Pick<FastifyRequest, 'url' | 'method'>): boolean {
  return method === 'POST' && responseRoutes.test(url)
}

/** Anthropic's other addresses, some of which OpenAI has too. */
const sharedRoutes =
  /^\/v1\/(?:models|files|skills|complete|agents|sessions|environments|organizations|vaults|memory_stores|deployments|user_profiles)(?:[/?]|$)/
const responseRoutes = /^(?:\/v1)?\/responses(?:[/?]|$)/
const nativeRoutes = /^\/(?:completions?|infill|embeddings?|apply-template|tokenize|detokenize|props|slots|lora-adapters)(?:[/?]|$)/
