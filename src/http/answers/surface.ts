import type { FastifyRequest } from 'fastify'

/** Whether a request is for Anthropic's routes, whose clients send another header and read another shape of errors. */
export function isMessagesSurface({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  if (/^\/v1\/messages(?:[/?]|$)/.test(url)) return true
  // OpenAI's clients list models at the same address.
  return /^\/v1\/models(?:[/?]|$)/.test(url) && headers['anthropic-version'] !== undefined
}

/** Whether a request may bring its token as `x-api-key`, as Anthropic's clients and those of llama.cpp's server do. */
export function takesKeyHeader(request: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  return isMessagesSurface(request) || nativeRoutes.test(request.url)
}

const nativeRoutes = /^\/(?:completions?|infill|embeddings?|apply-template|tokenize|detokenize|props|slots|lora-adapters)(?:[/?]|$)/
