import type { Socket } from 'node:net'

/** Connections of one address, and in all, on which nobody has shown to be a node. */
const mostOfAddress = 128
const mostOfAll = 512

/**
 * Bounds the connections on which nothing has shown yet that a node is at the other end: with one too many the oldest is closed. A node proves itself within
 * milliseconds, whoever only holds connections loses them.
 */
export class UnprovenConnections {
  /** Oldest first. */
  readonly #all = new Map<string, Socket>()

  add(socket: Socket): void {
    const place = placeOf(socket)
    if (place === null) return
    socket.once('close', () => this.#all.delete(place))
    const { remoteAddress } = socket
    const own = [...this.#all.values()].filter((other) => other.remoteAddress === remoteAddress)
    if (own.length >= mostOfAddress) own[0]?.destroy()
    else if (this.#all.size >= mostOfAll) [...this.#all.values()][0]?.destroy()
    this.#all.set(place, socket)
  }

  /** Notes that a node is at the other end; `socket` may be the encrypted one on a connection. */
  prove(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    const place = placeOf(socket)
    if (place !== null) this.#all.delete(place)
  }
}

function placeOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string | null {
  return remoteAddress === undefined || remotePort === undefined ? null : `${remoteAddress} ${remotePort}`
}
