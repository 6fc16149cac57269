import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/error.ts'

/** The methods registered for each path, to distinguish a wrong method from a wrong path. */
export interface KnownMethods {
  /** The methods of a path; empty when no route has it. */
  of(path: string): readonly string[]
}

/** Records every route that is registered from now on. */
export function rememberMethods(server: FastifyInstance): KnownMethods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  server.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() }
    for (const name of [method].flat()) route.methods.add(name.toUpperCase())
    routes.set(url, route)
  })
  return {
    of(path) {
      const methods = new Set<string>()
      for (const route of routes.values()) if (route.pattern.test(path)) for (const method of route.methods) methods.add(method)
      return [...methods].sort()
    },
  }
}

function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.split('*').map(escapePattern).join('.*[^/].*')))
    .join('/')
  return new RegExp(`^${source}$`)
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** OpenAI's paths below `/v1/` that published clients use and Sepia does not offer. */
const openAiParts =
  'moderations|audio|fine_tuning|vector_stores|uploads|assistants|threads|conversations|containers|evals|videos|realtime|organization|graders|chatkit|skills|live'
const anthropicParts =
  'messages/batches|complete|skills|agents|sessions|environments|organizations|vaults|memory_stores|deployments|user_profiles'
const llamaCppParts = 'tools|cors-proxy'

const published = new RegExp(`^/(?:v1/(?:${openAiParts}|${anthropicParts})|${llamaCppParts})(?=[/?]|$)`)

/** The replacement for a path that is not offered. */
const instead: Readonly<Record<string, string>> = {
  '/v1/messages/batches': 'use /v1/files and /v1/batches',
  '/v1/uploads': 'send the whole file to /v1/files',
  '/v1/conversations': 'use `previous_response_id` on /v1/responses',
}

/** Addresses of other servers that new users' clients may still be configured for. */
const foreign = [
  { address: /^\/api\/(?:push|create|copy|blobs)(?=[/?]|$)/, whose: 'Ollama', use: 'the models folder, or pull models with /api/pull' },
  { address: /^\/sdapi\/v1\/[\w-]{1,40}/, whose: 'A1111', use: '/sdapi/v1/txt2img, img2img and what GET /openapi.json lists beside them' },
]

/** The error for an unknown address. It names the interface that the address belongs to, if published clients use it. */
export function unknownAddress(url: string, { of: methodsOf }: KnownMethods): ServiceError {
  if (url.startsWith('/v1/v1/')) return new ServiceError('not_found', "This address has /v1 twice; remove it from your client's base URL.")
  const [given = ''] = url.split('?')
  const meant = given.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  if (meant !== given && methodsOf(meant).length > 0)
    return new ServiceError('not_found', `This address does not exist; use \`${meant}\`, without a doubled slash or one at the end.`)
  for (const { address, whose, use } of foreign) {
    const [found] = address.exec(url) ?? []
    if (found !== undefined)
      return new ServiceError('not_found', `\`${found}\` belongs to ${whose}, which this service does not offer; use ${use}.`)
  }
  const [part] = published.exec(url) ?? []
  if (part === undefined) return new ServiceError('not_found', 'This address does not exist; GET /openapi.json lists the routes.')
  return new ServiceError(
    'not_found',
    `\`${part}\` is not offered by this service; ${instead[part] ?? 'GET /openapi.json lists the routes'}.`,
  )
}

/** Whether published clients use this address although Sepia does not offer it. */
export function isNotOffered(url: string): boolean {
  return published.test(url)
}

/** The error for an address that has another meaning in Anthropic's API. */
export function notInMessagesApi(part: string): ServiceError {
  return new ServiceError(
    'not_found',
    `\`${part}\` is not offered in Anthropic's format; send files as OpenAI's clients do, without \`anthropic-version\`.`,
  )
}
