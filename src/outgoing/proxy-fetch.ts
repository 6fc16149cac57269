import { type Agent, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { answerTo, limitInterimResponses } from '../core/outgoing/client-requests.ts'
import { wantsLogin } from '../core/outgoing/forward-proxies.ts'
import type { FindRoute } from './find-proxy.ts'

/** Time limits for a silent server and for idle connections, as in `fetch`. */
const [silenceMs, keptMs] = [300_000, 4000]
const maxRedirects = 20
const bodiless = [204, 205, 304]

/** `fetch` for direct connections; otherwise an equivalent through the proxy, for bodies that fit into memory. */
export function createProxyFetch(findRoute: FindRoute): typeof fetch {
  const agents = new Map<string, Agent>()
  const send = async (request: Request, sending: Sending, redirects: number): Promise<Response> => {
    const url = new URL(request.url)
    const route = findRoute(url)
    if (route === null) return fetch(request, { signal: sending.signal })
    const key = `${url.protocol}${route.proxy}`
    const agent = agents.get(key) ?? route.openAgent({ keepAlive: true, idleMs: keptMs })
    agents.set(key, agent)
    const incoming = await ask(request, url, { ...sending, agent, proxy: route.proxy })
    const { statusCode: status = 502, headers } = incoming
    const leadsOn = status >= 300 && status < 400 && status !== 304 && headers.location !== undefined
    if (!leadsOn || request.redirect === 'manual') return toResponse(incoming, status, { ...sending, proxy: route.proxy })
    incoming.destroy()
    if (request.redirect === 'error' || !['GET', 'HEAD'].includes(request.method) || redirects === maxRedirects)
      throw new TypeError('fetch failed', { cause: new Error(`${url.origin} redirects, which is not allowed here.`) })
    const target = new URL(headers.location ?? '', url)
    const next = new Request(target, { method: request.method, headers: request.headers })
    if (target.origin !== url.origin) next.headers.delete('authorization')
    return send(next, sending, redirects + 1)
  }
  return async (input, init) => {
    if (findRoute(new URL(input instanceof Request ? input.url : input)) === null) return fetch(input, init)
    const request = new Request(input, init)
    return send(request, { body: Buffer.from(await request.arrayBuffer()), signal: init?.signal ?? request.signal }, 0)
  }
}

interface Sending {
  readonly body: Buffer
  readonly signal: AbortSignal
}

function ask(
  { method, headers }: Request,
  url: URL,
  { body, signal, agent, proxy }: Sending & { readonly agent: Agent; readonly proxy: string },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }))
    const sent = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      method,
      agent,
      signal,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'node',
        ...Object.fromEntries(headers),
        ...(body.length > 0 && { 'content-length': body.length }),
      },
      ...{ connectSignal: signal },
    })
    sent.setTimeout(silenceMs, () => sent.destroy(new Error(`Nothing came through the proxy ${proxy} for ${silenceMs / 1000} s.`)))
    limitInterimResponses(sent)
    sent.end(body)
    answerTo<IncomingMessage>(sent).then((incoming) => {
      const { statusCode } = incoming
      if (statusCode !== 407 && statusCode !== 101) return resolve(incoming)
      incoming.destroy()
      fail(statusCode === 407 ? wantsLogin(proxy, url.protocol) : new Error(`${url.origin} requests another protocol.`))
    }, fail)
  })
}

function toResponse(
  incoming: IncomingMessage,
  status: number,
  { signal, proxy }: Pick<Sending, 'signal'> & { readonly proxy: string },
): Response {
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '')
  if (bodiless.includes(status)) {
    incoming.resume()
    return new Response(null, { status, headers })
  }
  const pieces: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done = false, value } = await pieces.next()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (cause) {
          controller.error(signal.aborted ? signal.reason : new Error(`The connection through the proxy ${proxy} broke off.`, { cause }))
        }
      },
      // Includes bodies that nobody has started to read.
      cancel: () => void incoming.destroy(),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status, headers })
}
