import type { FastifyRequest } from 'fastify'

/** Whether an address is one of Anthropic's, whose clients send another header and read another shape of errors. */
export function isMessagesSurface({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return /^\/v1\/messages(?:[/?]|$)/.test(url)
}
