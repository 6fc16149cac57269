import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A relay between two nodes that applies network faults to their connections. */
export interface NodeRelay extends AsyncDisposable {
  readonly url: string
  /** What becomes of bytes: passed on, swallowed, or answered with a reset of their connection, whatever they are or when it asks a second question. */
  does: 'pass' | 'swallow' | 'reset' | 'reset-reused'
  /** Connections that were reset for their bytes so far. */
  readonly resets: () => number
  /** Connections that were made so far. */
  readonly connections: () => number
  /** Resets every connection. */
  cut(): void
}

/** Relays TCP to the node at `url`, under the same scheme. */
export async function startNodeRelay(url: string): Promise<NodeRelay> {
  const { hostname, port, protocol } = new URL(url)
  const sockets = new Set<Socket>()
  let [count, resets] = [0, 0]
  const server = createServer((socket) => {
    count += 1
    let questions = 0
    const onward = connect(Number(port), hostname)
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (chunk) => {
        if (from === socket && String(chunk).startsWith('POST ')) questions += 1
        if (relay.does === 'reset' || (relay.does === 'reset-reused' && questions > 1)) {
          resets += 1
          socket.resetAndDestroy()
        } else if (relay.does !== 'swallow') to.write(chunk)
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const relay: NodeRelay = {
    url: `${protocol}//127.0.0.1:${address.port}`,
    does: 'pass',
    connections: () => count,
    resets: () => resets,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return relay
}
