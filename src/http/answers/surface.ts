import type { FastifyRequest } from 'fastify'

/** Whether a request is one of Anthropic's clients, which send another header and read another shape of errors. */
export function isMessagesSurface({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  return /^\/v1\/messages(?:[/?]|$)/.test(url) || (headers['anthropic-version'] !== undefined && sharedRoutes.test(url))
}

/** Whether a request is one of the clients of llama.cpp's server outside OpenAI's surface, which read a number as an error's code. */
export function isNativeSurface({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return nativeRoutes.test(url)
}

/** Whether a request is one of Ollama's clients, which read an error as a text. */
export function isOllamaSurface({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return /^\/api(?:[/?]|$)/.test(url)
}

/** Whether a request is one of A1111's clients, which read an error's sentence under another name. */
export function isA1111Surface({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return /^\/sdapi(?:[/?]|$)/.test(url)
}

/** Whether a request asks for one of OpenAI's responses, which call the messages of a conversation their input. */
export function isResponsesSurface({ url, method }: Pick<FastifyRequest, 'url' | 'method'>): boolean {
  return method === 'POST' && responseRoutes.test(url)
}

/** Further addresses of Anthropic's, some of which are OpenAI's too. */
const sharedRoutes =
  /^\/v1\/(?:models|files|skills|complete|agents|sessions|environments|organizations|vaults|memory_stores|deployments|user_profiles)(?:[/?]|$)/
const responseRoutes = /^(?:\/v1)?\/responses(?:[/?]|$)/
const nativeRoutes = /^\/(?:completions?|infill|embeddings?|apply-template|tokenize|detokenize|props|slots|lora-adapters)(?:[/?]|$)/
