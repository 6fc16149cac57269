import { proxyFaultIn } from '../../core/outgoing/forward-proxies.ts'
import type { Abortable } from '../../core/waiting.ts'

import type { FetchRules } from '../web/fetch-public.ts'

/** Address and credentials of the hub. */
export interface HubAccess extends FetchRules {
  /** Origin of the hub or a mirror, without a trailing slash. */
  readonly endpoint: string
  /** Access token; null = public models only. */
  readonly token: string | null
  /** Replaces `fetch`; absent = direct connections. */
  readonly fetch?: typeof fetch
  /** Whether remote access is disabled; absent = it is enabled. */
  readonly offline?: boolean
  /** Overrides for parallel downloads; absent = the defaults. */
  readonly spreading?: Spreading
  readonly wait: (ms: number, options: Abortable) => Promise<void>
}

const maxTries = 5
const longestWaitMs = 60_000

/**
 * Creates a `fetch` for the hub that retries while it is busy, after `Retry-After` or with doubling delays from one second. The URL must be
 * https unless its host is trusted.
 */
export function createHubFetch({ endpoint, token, trustedHosts, wait, fetch: ask = fetch }: HubAccess, signal: AbortSignal): typeof fetch {
  const { protocol, host, hostname, origin } = new URL(endpoint)
  if (protocol !== 'https:' && !trustedHosts.includes(hostname))
    throw new Error(
      `${endpoint} does not use https, so its files could be changed on the way; add ${hostname} to the setting pull-hosts to allow it.`,
    )
  if (token !== null && !token.startsWith('hf_'))
    throw new Error('The hub\'s token must begin with "hf_"; correct or remove HF_TOKEN, hub-token or hub-token-file.')
  return async (input, init) => {
    // A list continues at a URL from the answer, which receives the token too.
    if (new URL(input instanceof Request ? input.url : input).origin !== origin)
      throw new Error(`${endpoint} redirects to another host; use that host as the hub.`)
    for (let tried = 1; ; tried++) {
      const response = await ask(input, { ...init, signal }).catch((cause: unknown) => {
        signal.throwIfAborted()
        const fault = proxyFaultIn(cause)
        if (fault !== null) throw new Error(`${host} cannot be reached: ${fault.message}`, { cause })
        throw new Error(`${host} cannot be reached from this server; check its network, or name a mirror in HF_ENDPOINT.`, { cause })
      })
      if ((response.status !== 429 && response.status < 500) || tried === maxTries) return response
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after'))
      await wait(Math.min(seconds > 0 ? seconds * 1000 : 1000 * 2 ** (tried - 1), longestWaitMs), { signal })
    }
  }
}

/** Explains a refusal of the hub and its fix. */
export function explainRefusal(
  status: number,
  repository: string,
  { endpoint, token }: Pick<HubAccess, 'endpoint' | 'token'>,
): string | null {
  const page = `${endpoint}/${repository}`
  if (status === 401 || (status === 403 && token === null))
    return `${repository} is gated, private or does not exist: open ${page}, accept its terms if it has any, and set a token in HF_TOKEN or hub-token-file.`
  if (status === 403) return `The token has no access to ${repository}: open ${page} with its account, accept the terms and try again.`
  if (status === 404) return `${repository} does not exist in this revision; see ${page}, or use sepia model search.`
  if (status === 429) return `${endpoint} has limited the number of requests; wait a few minutes, or set a token in HF_TOKEN.`
  return status >= 500 ? `${endpoint} answered ${status}; try again later.` : null
}

/** A hub reference: `hf:<owner>/<repository>[@<revision>][:<choice>]`. */
export interface HubReference {
  /** `<owner>/<repository>` as entered. */
  readonly repository: string
  /** A branch, tag or commit. */
  readonly revision: string
  /** A quantization such as `Q4_K_M`, or a file path; null = the default. */
  readonly choice: string | null
}

const name = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?'
const reference = new RegExp(
  `^hf:(?<repository>${name}/${name})(?:@(?<revision>[A-Za-z0-9._/-]{1,128}))?(?::(?<choice>[A-Za-z0-9._/-]{1,200}))?$`,
)

/** Whether a source is a hub name. */
export function isHubSource(source: string): boolean {
  return source.startsWith('hf:')
}

/**
 * Parses references joined by `+`: one, or a file per repository of a model with separate components. @throws {Error} explaining the
 * format.
 */
export function parseHubReferences(source: string): readonly [HubReference, ...HubReference[]] {
  const [first = '', ...parts] = source.split('+')
  return [parseHubReference(first), ...parts.map(parseHubReference)]
}

function parseHubReference(source: string): HubReference {
  const { repository, revision = 'main', choice = null } = reference.exec(source)?.groups ?? {}
  const escapes = [revision, choice ?? ''].some((part) => part.split('/').some((step) => step === '..' || step === '.'))
  if (repository === undefined || escapes)
    throw new Error(
      `${source} is not a hub name; write hf:<owner>/<repository>, followed by @<revision> and :<quantization or file> if needed.`,
    )
  return { repository, revision, choice }
}

/** A file in a repository. */
export interface RepositoryFile {
  readonly path: string
  readonly bytes: number
  /** Hex SHA-256 of a large file; null for small ones. */
  readonly sha256: string | null
  /** Git blob hash (hex SHA-1) of a small file. */
  readonly gitHash: string
}

export interface Repository {
  readonly files: readonly RepositoryFile[]
  readonly license: string | null
}

/** Maximum number of files; more than any model's repository has. */
const maxFiles = 20_000

/** @throws {Error} naming the repository and the fix, also if it is gated or missing. */
export async function readRepository(hub: HubAccess, { repository, revision }: HubReference, { signal }: Abortable): Promise<Repository> {
  const { HubApiError, listFiles, modelInfo } = await import('@huggingface/hub')
  const request = { hubUrl: hub.endpoint, fetch: createHubFetch(hub, signal), ...(hub.token !== null && { accessToken: hub.token }) }
  try {
    const { cardData } = await modelInfo({ ...request, name: repository, revision, additionalFields: ['cardData'] })
    const files: RepositoryFile[] = []
    for await (const { type, path, size, oid = '', lfs } of listFiles({ ...request, repo: repository, revision, recursive: true })) {
      if (files.length === maxFiles) throw new Error(`${repository} has more than ${maxFiles} files; name one with :<file>.`)
      if (type === 'file') files.push({ path, bytes: lfs?.size ?? size, sha256: lfs?.oid ?? null, gitHash: oid })
    }
    return { files, license: typeof cardData?.license === 'string' ? cardData.license : null }
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof HubApiError ? explainRefusal(cause.statusCode, repository, hub) : null
    throw reason === null ? cause : new Error(reason, { cause })
  }
}

/** Settings for downloading a large file over several connections. */
export interface Spreading {
  /** Smaller files use one connection. */
  readonly leastBytes: number
  readonly connections: number
}

export const usualSpreading: Spreading = { leastBytes: 256 * 1024 * 1024, connections: 4 }
