import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { S3Address } from '../../../src/storage/s3/s3-bucket.ts'

/**
 * What happens to one request: `hang` never answers, `cut` closes the connection before anything is done, `forget` does what was asked and closes
 * the connection, `half` sends half of the answer, `stall` does and goes silent, `unread` stops to read what is sent, `damage` flips a bit of it, `skewed` refuses the time as Amazon does, `stranger` is another server, which
 * welcomes everything, `belated` begins a success and fails then.
 */
export type S3Fault =
  | 'hang'
  | 'cut'
  | 'forget'
  | 'half'
  | 'stall'
  | 'unread'
  | 'damage'
  | 'skewed'
  | 'stranger'
  | 'belated'
  | { readonly status: number; readonly code?: string }

/** As much of S3 as storing outputs takes, in memory, and with every fault that a test wants; it checks no signature. */
export interface FaultyS3Server extends AsyncDisposable {
  readonly address: S3Address
  readonly objects: Map<string, { readonly bytes: Buffer; readonly sha256: string }>
  /** `PUT /bucket/key` of everything that arrived. */
  readonly requests: string[]
  /** Decides about each request; none by default. */
  fault: (request: { readonly method: string; readonly key: string; readonly round: number }) => S3Fault | undefined
  /** Called when a request begins to hang. */
  onHang: () => void
  /** Resolves once so many requests arrived. */
  arrived(count: number): Promise<void>
}

/** Starts it on a free port. */
export async function startFaultyS3Server(): Promise<FaultyS3Server> {
  const objects: FaultyS3Server['objects'] = new Map()
  const requests: string[] = []
  const server = createServer()
  const state: FaultyS3Server = {
    address: { endpoint: '', bucket: 'b', region: 'us-east-1', accessKey: 'k', secretKey: 's' },
    objects,
    requests,
    fault: () => undefined,
    onHang: () => {},
    async arrived(count) {
      while (requests.length < count) await once(server, 'arrival')
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://s3')
    const key = url.pathname.split('/').slice(2).join('/')
    const method = request.method ?? ''
    requests.push(`${method} ${key}`)
    const fault = state.fault({ method, key, round: requests.length })
    if (fault === 'unread') return state.onHang()
    const body = Buffer.concat(await Array.fromAsync(request).catch(() => []))
    const undone = typeof fault === 'object' || (fault !== undefined && !['forget', 'half', 'stall', 'damage'].includes(fault))
    const answer = undone ? null : handle(objects, { request, method, key, url, body })
    server.emit('arrival')
    if (fault === 'hang') return state.onHang()
    if (fault === 'skewed') return void response.writeHead(403).end('<Code>RequestTimeTooSkewed</Code>')
    if (fault === 'stranger') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')
    if (fault === 'belated') return void response.writeHead(200, { etag: etagOf(body) }).end(belatedError)
    if (typeof fault === 'object') return void response.writeHead(fault.status).end(`<Code>${fault.code ?? 'SlowDown'}</Code>`)
    if (fault === 'forget' || answer === null) return void request.socket.destroy()
    response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length })
    if (fault === 'half') return void response.write(answer.body.subarray(0, answer.body.length / 2), () => request.socket.destroy())
    if (fault === 'stall') return void response.write(answer.body.subarray(0, answer.body.length / 2), () => state.onHang())
    if (fault === 'damage') answer.body[0] = (answer.body[0] ?? 0) ^ 1
    response.end(method === 'HEAD' ? undefined : answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port was given')
  return Object.assign(state, { address: { ...state.address, endpoint: `http://127.0.0.1:${bound.port}` } })
}

/** An error that S3 sends after an early 200, which keeps the connection open. */
const belatedError = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>InternalError</Code></Error>'

interface Requested {
  readonly request: IncomingMessage
  readonly method: string
  readonly key: string
  readonly url: URL
  readonly body: Buffer
}

interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Buffer
}

function handle(objects: FaultyS3Server['objects'], { request, method, key, url, body }: Requested): Answer {
  const found = objects.get(key)
  if (url.searchParams.has('delete')) {
    for (const [, name] of body.toString().matchAll(/<Key>([^<]*)</g)) objects.delete(name ?? '')
    return answer(200, '<DeleteResult/>')
  }
  if (url.searchParams.has('list-type')) {
    const after = url.searchParams.get('start-after') ?? ''
    const keys = [...objects.keys()].filter((name) => name.startsWith(url.searchParams.get('prefix') ?? '') && name > after).sort()
    const more = keys.length > 1000
    const contents = keys.slice(0, 1000).map((name) => `<Contents><Key>${name}</Key></Contents>`)
    return answer(200, `<ListBucketResult><IsTruncated>${more}</IsTruncated>${contents.join('')}</ListBucketResult>`)
  }
  if (method === 'PUT') {
    if (found !== undefined && request.headers['if-none-match'] === '*') return answer(412, '')
    objects.set(key, { bytes: body, sha256: String(request.headers['x-amz-meta-sha256'] ?? '') })
    return { ...answer(200, ''), headers: { etag: etagOf(body) } }
  }
  if (key === '') return answer(200, '')
  if (found === undefined) return answer(404, '<Code>NoSuchKey</Code>')
  const etag = etagOf(found.bytes)
  if (![undefined, etag].includes(request.headers['if-match'])) return answer(412, '')
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
  const bytes = from === undefined ? found.bytes : found.bytes.subarray(Number(from), Number(to) + 1)
  return { status: from === undefined ? 200 : 206, headers: { etag, 'x-amz-meta-sha256': found.sha256 }, body: Buffer.from(bytes) }
}

function answer(status: number, text: string): Answer {
  return { status, headers: {}, body: Buffer.from(text) }
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}
