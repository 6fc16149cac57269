import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Pieces of refused bodies, each of up to 64 KB, are read no faster than one in so many milliseconds, of all of them together. */
const pieceMs = 1

/**
 * Reads and drops what is left of bodies that were refused. Many clients read nothing before they have sent all, so that it must be read;
 * but nobody is helped when that is fast, and everybody else is hurt.
 */
export class DiscardedBodies {
  /** Bodies with a piece waiting, in the order of their turns. */
  readonly #paused = new Set<IncomingMessage>()
  #timer: NodeJS.Timeout | null = null

  /** Takes over a body whose answer is decided. */
  add(body: IncomingMessage): void {
    if (body.complete || body.destroyed) return
    body.on('data', () => {
      body.pause()
      this.#paused.add(body)
      this.#timer ??= setInterval(() => this.#next(), pieceMs)
    })
    body.once('close', () => this.#paused.delete(body))
    body.resume()
  }

  #next(): void {
    const [body] = this.#paused
    if (body === undefined) {
      if (this.#timer !== null) clearInterval(this.#timer)
      this.#timer = null
      return
    }
    this.#paused.delete(body)
    body.resume()
  }
}

/**
 * Answers a request whose body is still coming in from a client that wants the connection closed: it is closed once the
 * body is in and the answer out. Closing with unread bytes would reset the connection, and many clients read nothing
 * before they have sent all.
 *
 * @see RFC 9112, section 9.6
 */
export function closeAfterBody({ raw: request }: FastifyRequest, { raw: reply }: FastifyReply): void {
  if (request.complete || reply.shouldKeepAlive) return
  reply.shouldKeepAlive = true
  const { socket } = request
  let open = 2
  const close = () => {
    open -= 1
    if (open === 0) socket.end()
  }
  request.once('end', close)
  reply.once('close', close)
}

/**
 * Asks clients that wait with their body (`Expect: 100-continue`) for it once the caller may send one; a refused client gets the refusal
 * first, and sends nothing in vain. Node would ask at once.
 *
 * @see RFC 9110, section 10.1.1
 */
export function inviteBodies(server: FastifyInstance): void {
  const waiting = new WeakSet<ServerResponse>()
  server.server.on('checkContinue', (request, response) => {
    waiting.add(response)
    server.server.emit('request', request, response)
  })
  server.addHook('preParsing', (request, reply, _payload, done) => {
    if (waiting.delete(reply.raw) && !request.is404) reply.raw.writeContinue()
    done()
  })
}
