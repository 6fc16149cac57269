import { ServiceError } from '../../core/error.ts'
import type { KnownMethods } from '../known-methods.ts'

/** What stands behind `/v1/` in published clients' addresses and has no place here. */
const openAiParts =
  'moderations|audio|fine_tuning|vector_stores|uploads|assistants|threads|conversations|containers|evals|videos|realtime|organization|graders|chatkit|skills|live'
const anthropicParts =
  'messages/batches|complete|skills|agents|sessions|environments|organizations|vaults|memory_stores|deployments|user_profiles'
const llamaCppParts = 'tools|cors-proxy'

const published = new RegExp(`^/(?:v1/(?:${openAiParts}|${anthropicParts})|${llamaCppParts})(?=[/?]|$)`)

/** What to use in the place of a part that is not offered. */
const instead: Readonly<Record<string, string>> = {
  '/v1/messages/batches': 'use /v1/files and /v1/batches',
  '/v1/uploads': 'send the whole file to /v1/files',
  '/v1/conversations': 'use `previous_response_id` on /v1/responses',
}

/** Interfaces of other programs that newcomers' clients may still be set to. */
const foreign = [
  {
    address: /^\/api\/(?:push|create|copy|blobs)(?=[/?]|$)/,
    whose: 'Ollama',
    use: 'the models folder, or pull models with /api/pull',
  },
  { address: /^\/sdapi\/v1\/[\w-]{1,40}/, whose: 'A1111', use: '/sdapi/v1/txt2img, img2img and what GET /openapi.json lists beside them' },
]

/** The refusal of an address where nothing is, by its name where published clients know it. */
export function nothingThere(url: string, { of: methodsOf }: KnownMethods): ServiceError {
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

/** Whether published clients know an address under which nothing is here, whatever stands beside it. */
export function isNotOffered(url: string): boolean {
  return published.test(url)
}

/** The refusal of an address that means something else to Anthropic's clients than what is there. */
export function notForMessages(part: string): ServiceError {
  return new ServiceError(
    'not_found',
    `\`${part}\` is not offered in Anthropic's format; send files as OpenAI's clients do, without \`anthropic-version\`.`,
  )
}
