import { once } from 'node:events'
import { createServer, type IncomingMessage, request as requestPlain, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Behaviour of a broken proxy on a request for a tunnel. */
type Refusal = 'silence' | 'cut' | `${number} ${string}`

/** A forward proxy as companies have them: plain requests in absolute form, and tunnels for TLS. */
export interface ForwardProxyServer extends AsyncDisposable {
  readonly port: number
  /** `CONNECT host:port` and `GET http://host/path` of everything that came. */
  readonly requested: string[]
  /** The `proxy-authorization` of what came last. */
  login: string | undefined
  /** How it refuses from now on; null = it does not. */
  refusal: Refusal | null
  /** Header fields of its refusals. */
  refusalHeaders: Readonly<Record<string, string>>
  /** Cuts every connection that goes through it. */
  cut(): void
}

/** Starts a proxy that resolves only the names in `hosts`, each to a port on this machine. */
export async function startForwardProxy(hosts: Readonly<Record<string, number>>): Promise<ForwardProxyServer> {
  const open = new Set<Socket | Duplex>()
  const keep = <Kept extends Socket | Duplex>(socket: Kept): Kept => {
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
    return socket
  }
  const note = (request: IncomingMessage): void => {
    proxy.requested.push(`${request.method} ${request.url}`)
    proxy.login = request.headers['proxy-authorization']
  }
  const forward = (
    request: IncomingMessage,
    answer: (response: IncomingMessage, socket?: Duplex, head?: Buffer) => void,
    fail: () => void,
  ): void => {
    const { hostname, port, pathname, search } = new URL(request.url ?? '')
    const to = hosts[port === '' ? hostname : `${hostname}:${port}`]
    if (to === undefined) {
      fail()
      return
    }
    const headers = { ...request.headers }
    delete headers['proxy-authorization']
    delete headers['proxy-connection']
    const onward = requestPlain({ host: '127.0.0.1', port: to, path: pathname + search, method: request.method, headers, agent: false })
    onward.once('response', answer).once('upgrade', answer).once('error', fail)
    request.pipe(onward)
  }
  const server = createServer((request, response: ServerResponse) => {
    note(request)
    if (proxy.refusal === 'silence') return
    if (proxy.refusal === 'cut') return void request.socket.destroy()
    if (proxy.refusal !== null)
      return void response.writeHead(Number(proxy.refusal.slice(0, 3)), proxy.refusalHeaders).end('refused by the proxy')
    forward(
      request,
      (onward) => {
        response.writeHead(onward.statusCode ?? 502, onward.headers)
        onward.pipe(response)
        response.once('close', () => onward.destroy())
      },
      () => response.writeHead(502).end('no such host'),
    )
  })
  server.on('connection', keep)
  server.on('upgrade', (request, socket: Duplex) => {
    note(request)
    forward(
      request,
      (onward, upstream, head) => {
        const lines = onward.rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${onward.rawHeaders[at + 1]}\r\n`] : []))
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
        if (head !== undefined) socket.write(head)
        if (upstream !== undefined) keep(upstream).pipe(socket).pipe(upstream)
      },
      () => socket.destroy(),
    )
  })
  server.on('connect', (request, socket: Duplex) => {
    note(request)
    if (proxy.refusal === 'silence') return
    if (proxy.refusal === 'cut') return void socket.destroy()
    const to = hosts[request.url ?? '']
    const refusal = proxy.refusal ?? (to === undefined ? '502 Bad Gateway' : null)
    if (refusal !== null || to === undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`)
    const upstream = keep(
      connect(to, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        upstream.pipe(socket).pipe(upstream)
        upstream.once('close', () => socket.end())
        socket.once('close', () => upstream.destroy())
      }),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const proxy: ForwardProxyServer = {
    port,
    requested: [],
    login: undefined,
    refusal: null,
    refusalHeaders: {},
    cut: () => {
      for (const socket of open) socket.destroy()
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      proxy.cut()
      await closed
    },
  }
  return proxy
}
