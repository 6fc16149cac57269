import { createHubFetch, explainRefusal, type HubAccess } from './hub-access.ts'
import type { HubReference } from './hub-reference.ts'

/** A file of a repository. */
export interface RepositoryFile {
  readonly path: string
  readonly bytes: number
  /** Hex SHA-256 of what is stored as a large file; null for small ones. */
  readonly sha256: string | null
  /** Git's hex SHA-1 of a small file with its header. */
  readonly gitHash: string
}

export interface Repository {
  readonly files: readonly RepositoryFile[]
  readonly license: string | null
}

/** No repository of a model has so many. */
const mostFiles = 20_000

/** @throws {Error} naming the repository and what to do, also where it is gated or gone. */
export async function readRepository(
  hub: HubAccess,
  { repository, revision }: HubReference,
  { signal }: { readonly signal: AbortSignal },
): Promise<Repository> {
  const { HubApiError, listFiles, modelInfo } = await import('@huggingface/hub')
  const request = { hubUrl: hub.endpoint, fetch: createHubFetch(hub, signal), ...(hub.token !== null && { accessToken: hub.token }) }
  try {
    const { cardData } = await modelInfo({ ...request, name: repository, revision, additionalFields: ['cardData'] })
    const files: RepositoryFile[] = []
    for await (const { type, path, size, oid = '', lfs } of listFiles({ ...request, repo: repository, revision, recursive: true })) {
      if (files.length === mostFiles) throw new Error(`${repository} has more than ${mostFiles} files; name one with :<file>.`)
      if (type === 'file') files.push({ path, bytes: lfs?.size ?? size, sha256: lfs?.oid ?? null, gitHash: oid })
    }
    return { files, license: typeof cardData?.license === 'string' ? cardData.license : null }
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof HubApiError ? explainRefusal(cause.statusCode, repository, hub) : null
    throw reason === null ? cause : new Error(reason, { cause })
  }
}
