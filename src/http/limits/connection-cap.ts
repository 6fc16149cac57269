import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { writeRefusal } from '../answers/answer-parser-error.ts'
import { clientAddress } from './client-address.ts'

/** How long a refused connection may take to read why. */
const refusalMs = 1000

/** Seconds after which trying again may help; nobody knows when a connection ends. */
const retryAfterSeconds = 5

export interface ConnectionCap {
  /** Connections of one address, and requests at once of one behind a trusted proxy; null = no limit. */
  readonly connectionsPerAddress: number | null
  readonly isTrustedProxy: (address: string | undefined) => boolean
}

/**
 * Bounds the connections of each address. A trusted proxy opens them for many clients: of each of those the requests at once are counted.
 *
 * @throws {ServiceError} `concurrency_limit_exceeded`, from the hook.
 */
export function capConnections(server: FastifyInstance, { connectionsPerAddress: most, isTrustedProxy }: ConnectionCap): void {
  if (most === null) return
  const connections = new Counts()
  guardConnections(
    server.server,
    (socket) => {
      if (isTrustedProxy(socket.remoteAddress)) return true
      const address = clientAddress(socket.remoteAddress)
      if (connections.of(address) >= most) return false
      connections.add(address)
      socket.once('close', () => connections.remove(address))
      return true
    },
    tooMany(most),
  )
  const requests = new Counts()
  server.addHook('onRequest', (request, reply, done) => {
    if (!isTrustedProxy(request.socket.remoteAddress)) return done()
    const address = clientAddress(request.ip)
    if (requests.of(address) >= most) return done(new ServiceError('concurrency_limit_exceeded', tooMany(most), { retryAfterSeconds }))
    requests.add(address)
    reply.raw.on('close', () => requests.remove(address))
    done()
  })
}

function tooMany(most: number): string {
  return `Open at most ${most} connections at once from one address (connections-per-address); end one of them first.`
}

/** Lets a server see only the connections that are let in; the others are told why not and closed, and nothing they send is read as HTTP. */
function guardConnections(server: Server, letIn: (socket: Socket) => boolean, message: string): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (letIn(socket)) {
      for (const listener of listeners) listener.call(server, socket)
      return
    }
    socket.on('error', () => {}).resume()
    writeRefusal(socket, { status: '429 Too Many Requests', code: 'concurrency_limit_exceeded', message, retryAfterSeconds })
    setTimeout(() => socket.destroy(), refusalMs).unref()
  })
}

/** Counts under names, of which only those in use are kept. */
class Counts {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string): void {
    this.#counts.set(name, this.of(name) + 1)
  }

  remove(name: string): void {
    const left = this.of(name) - 1
    if (left > 0) this.#counts.set(name, left)
    else this.#counts.delete(name)
  }
}
