import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HubRepository {
  /** By path. Weights (`.gguf`, `.safetensors`, `.bin`) are large files with a SHA-256, the rest small ones with Git's hash. */
  readonly files: Readonly<Record<string, Buffer>>
  readonly license?: string
  /** Whether only `hf_good` may read it. */
  readonly gated?: boolean
}

export interface HubServer extends AsyncDisposable {
  readonly url: string
  /** Method, path and range of every request, in order. */
  readonly requested: readonly { readonly path: string; readonly range: string | undefined; readonly authorization: string | undefined }[]
}

interface HubFaults {
  /** Downloads end after so many bytes each. */
  readonly cutAfter?: number
  /** The first requests of the API are answered with this status. */
  readonly busy?: { readonly status: number; readonly times: number }
  /** Small files answer other bytes. */
  readonly damaged?: boolean
}

/**
 * A server that answers like the hub: the list of a repository's files in pages, what is known of it, its files by a redirect to another
 * host, ranges, and its refusals.
 */
export async function startHubServer(repositories: Readonly<Record<string, HubRepository>>, faults: HubFaults = {}): Promise<HubServer> {
  const requested: { path: string; range: string | undefined; authorization: string | undefined }[] = []
  let busyLeft = faults.busy?.times ?? 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub')
    const { range, authorization } = request.headers
    requested.push({ path: url.pathname, range, authorization })
    if (url.pathname.startsWith('/storage/')) return sendStored(request, response, url)
    if (url.pathname.startsWith('/api/') && busyLeft-- > 0)
      return void response.writeHead(faults.busy?.status ?? 429, { 'retry-after': '7' }).end('{"error":"slow down"}')
    if (url.pathname === '/api/models') return sendJson(response, 200, search(url))
    const [, name = '', rest = ''] = /^(?:\/api\/models)?\/([^/]+\/[^/]+)\/(.*)$/.exec(decodeURIComponent(url.pathname)) ?? []
    const repository = repositories[name]
    // The hub reports a repository as missing to users without access.
    if (repository === undefined) return sendJson(response, authorization === undefined ? 401 : 404, { error: 'Repository not found' })
    if (repository.gated && authorization !== 'Bearer hf_good')
      return sendJson(response, authorization === undefined ? 401 : 403, { error: `Access to model ${name} is restricted.` })
    if (rest.startsWith('revision/'))
      return sendJson(response, 200, { id: name, gated: repository.gated ? 'manual' : false, cardData: { license: repository.license } })
    if (rest.startsWith('tree/')) return sendTree(response, url, repository)
    const path = rest.replace(/^resolve\/[^/]+\//, '')
    const file = repository.files[path]
    if (file === undefined) return void response.writeHead(404).end()
    if (isLarge(path)) return void response.writeHead(302, { location: `${origin('localhost')}/storage/${name}/${path}` }).end()
    response.end(faults.damaged ? Buffer.from('damaged') : file)
  })

  function sendStored(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const [, name = '', path = ''] = /^\/storage\/([^/]+\/[^/]+)\/(.*)$/.exec(decodeURIComponent(url.pathname)) ?? []
    const file = repositories[name]?.files[path]
    if (file === undefined) return void response.writeHead(404).end()
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': file.length - start })
    const rest = file.subarray(start)
    if (faults.cutAfter === undefined || rest.length <= faults.cutAfter) return void response.end(rest)
    response.write(rest.subarray(0, faults.cutAfter), () => response.socket?.end())
  }

  function sendTree(response: ServerResponse, url: URL, { files }: HubRepository): void {
    const entries = Object.entries(files).map(([path, content]) => ({
      type: 'file',
      path,
      size: content.length,
      oid: gitHash(isLarge(path) ? Buffer.from(`pointer to ${path}`) : content),
      ...(isLarge(path) && { lfs: { oid: sha256(content), size: content.length, pointerSize: 134 } }),
    }))
    const page = Number(url.searchParams.get('cursor') ?? 0)
    const rest = entries.slice((page + 1) * 2)
    url.searchParams.set('cursor', String(page + 1))
    if (rest.length > 0) response.setHeader('link', `<${origin('127.0.0.1')}${url.pathname}${url.search}>; rel="next"`)
    sendJson(response, 200, [{ type: 'directory', path: 'folder', size: 0, oid: '' }, ...entries.slice(page * 2, page * 2 + 2)])
  }

  function search(url: URL): unknown {
    const words = (url.searchParams.get('search') ?? '').toLowerCase()
    const tag = url.searchParams.get('filter')
    return Object.entries(repositories)
      .filter(
        ([name, { files }]) =>
          name.toLowerCase().includes(words) && Object.keys(files).some((path) => path.endsWith('.gguf')) === (tag === 'gguf'),
      )
      .map(([id, { license, gated }]) => ({
        id,
        downloads: id.length,
        gated: gated ? 'manual' : false,
        cardData: { license },
        lastModified: '2026-01-01',
      }))
  }

  await once(server.listen(0), 'listening')
  const { port } = server.address() as AddressInfo
  const origin = (host: string): string => `http://${host}:${port}`
  return {
    url: origin('127.0.0.1'),
    requested,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

function isLarge(path: string): boolean {
  return /\.(?:gguf|safetensors|bin)$/.test(path)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function gitHash(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}
