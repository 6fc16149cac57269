import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server on which things go wrong as a test says. */
export interface FaultyLink extends AsyncDisposable {
  readonly port: number
  /** Leads new connections to another port, as an address does that moves. */
  leadTo(port: number): void
  /** Cuts every connection. */
  cut(): void
  /** From now on lets nothing through in either direction, and says nothing. */
  hold(): void
  /** From now on every answer takes so much longer; 0 = no longer than it takes. */
  slow(ms: number): void
  /** Lets everything through again that was held. */
  letGo(): void
  /** Cuts each connection as soon as the server has answered on it, and drops that answer, so that the outcome is unknown. */
  swallowAnswers(many: number): void
}

/** Starts a link to a port of this machine. */
export async function startFaultyLink(target: number): Promise<FaultyLink> {
  const sockets = new Set<Socket>()
  let leadsTo = target
  const [open, held] = ['open', 'held'] as const
  let state: typeof open | typeof held = open
  let swallow = 0
  let slowMs = 0
  const server = createServer((near) => {
    const far = connect(leadsTo, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
      if (state === held) socket.pause()
    }
    let requested = false
    /** In the order in which they came, whatever the order of their timers. */
    const delayed: Buffer[] = []
    near.on('data', (bytes) => {
      requested = true
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (slowMs > 0 || delayed.length > 0) {
        delayed.push(bytes)
        return setTimeout(() => near.write(delayed.shift() ?? ''), slowMs)
      }
      if (swallow === 0 || !requested || !wasSent(bytes)) return near.write(bytes)
      swallow--
      return near.destroy()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      leadsTo = port
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    hold() {
      state = held
      for (const socket of sockets) socket.pause()
    },
    slow(ms) {
      slowMs = ms
    },
    letGo() {
      state = open
      for (const socket of sockets) socket.resume()
    },
    swallowAnswers(many) {
      swallow = many
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Whether an answer ends with PostgreSQL's word that it is ready for the next question, outside a transaction. */
function wasSent(bytes: Buffer): boolean {
  return bytes.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))
}
