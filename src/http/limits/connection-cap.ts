import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { writeRefusal } from '../answers/answer-parser-error.ts'
import { clientAddress } from './client-address.ts'

/** Refused connections that get time to read the reason. Further ones are closed at once, because they would use what the refusal saves. */
const maxRefusals = 32

/** A guess: how long a connection will last is unknown. */
const retryAfterSeconds = 5

export interface ConnectionCap {
  /** Connections per address, and concurrent requests per client behind a trusted proxy; null = no limit. */
  readonly connectionsPerAddress: number | null
  /** Connections in total, so that the service keeps file descriptors for itself; null = no limit. */
  readonly connectionsInAll: number | null
  readonly trustedProxies: readonly string[]
  readonly isTrustedProxy: (address: string | undefined) => boolean
}

/**
 * Limits connections in total and per address. A trusted proxy opens them for many clients, so the concurrent requests of each of its clients
 * are counted instead.
 *
 * @throws {ServiceError} `concurrency_limit_exceeded`, from the hook.
 */
export function capConnections(server: FastifyInstance, cap: ConnectionCap): void {
  const { connectionsPerAddress, connectionsInAll, trustedProxies, isTrustedProxy } = cap
  const most = connectionsPerAddress ?? Number.POSITIVE_INFINITY
  const maxTotal = connectionsInAll ?? Number.POSITIVE_INFINITY
  if (most === Number.POSITIVE_INFINITY && maxTotal === Number.POSITIVE_INFINITY) return
  let inAll = 0
  const connections = new Counts()
  guardConnections(server.server, (socket) => {
    if (inAll >= maxTotal) return full(maxTotal)
    const address = isTrustedProxy(socket.remoteAddress) ? null : clientAddress(socket.remoteAddress)
    if (address !== null && connections.of(address) >= most)
      return { status: '429 Too Many Requests', code: 'concurrency_limit_exceeded', message: tooMany(most), retryAfterSeconds }
    inAll += 1
    if (address !== null) connections.add(address)
    socket.once('close', () => {
      inAll -= 1
      if (address !== null) connections.remove(address)
    })
    return null
  })
  if (trustedProxies.length === 0) return
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

type Refusal = Parameters<typeof writeRefusal>[1]

function full(most: number): Refusal {
  const message = `The service has reached its limit of ${most} connections; try again in ${retryAfterSeconds} s.`
  return { status: '503 Service Unavailable', code: 'server_is_overloaded', message, retryAfterSeconds }
}

function tooMany(most: number): string {
  return `Open at most ${most} connections at once from one address (connections-per-address); end one of them first.`
}

/** Passes only accepted connections to the server. The others get the reason and are closed, and none of their bytes are parsed as HTTP. */
function guardConnections(server: Server, findRefusal: (socket: Socket) => Refusal | null): void {
  const listeners = server.listeners('connection')
  let refusals = 0
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const refusal = findRefusal(socket)
    if (refusal === null) {
      for (const listener of listeners) listener.call(server, socket)
      return
    }
    if (refusals >= maxRefusals) return void socket.destroy()
    refusals += 1
    socket.once('close', () => (refusals -= 1))
    socket.on('error', () => {}).resume()
    writeRefusal(socket, refusal)
  })
}

/** Counts by key. Keys at zero are removed. */
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
