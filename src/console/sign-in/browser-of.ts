import type { FastifyRequest } from 'fastify'

const longestAgent = 200

/** Where a request came from and what sent it, as people recognise their own browsers. */
export function browserOf({ ip, headers }: FastifyRequest): { readonly address: string; readonly agent: string | null } {
  const agent = (headers['user-agent'] ?? '').replace(/\p{Cc}/gu, '').slice(0, longestAgent)
  return { address: ip, agent: agent === '' ? null : agent }
}
