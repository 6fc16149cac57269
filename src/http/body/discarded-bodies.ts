import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Time between two pieces (up to 64 KB each) of all refused bodies together. */
const pieceMs = 1

/**
 * Reads and drops the rest of refused bodies. It must be read because many clients read nothing before they have sent everything. It is read
 * slowly because fast reading would only slow down other requests.
 */
export class DiscardedBodies {
  /** Bodies with a waiting piece, in the order of their turns. */
  readonly #paused = new Set<IncomingMessage>()
  #timer: NodeJS.Timeout | null = null

  /** Takes over a body whose request is already answered. */
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
 * Delays closing of a connection that the client wants closed until its body has arrived and the answer is sent. Closing with unread bytes
 * would reset the connection, and many clients read nothing before they have sent everything.
 *
 * @see RFC 9112, section 9.6
 */
export function closeAfterBody({ raw: request }: FastifyRequest, { raw: reply }: FastifyReply): void {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = request.headers
  const hasBody = encoding !== undefined || length !== '0'
  if (!hasBody || request.complete || reply.shouldKeepAlive) return
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

/** Responses whose clients wait for `100 Continue`. */
const waiting = new WeakSet<ServerResponse>()

/**
 * Holds back `100 Continue`, which Node would send at once. A client that waits for it (`Expect: 100-continue`) and is refused then gets the
 * error without sending its body.
 *
 * @see RFC 9110, section 10.1.1
 */
export function holdContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request, response) => {
    waiting.add(response)
    server.emit('request', request, response)
  })
}

/** Sends `100 Continue` to a client that waits for it. Call it when the body is about to be read. */
export function inviteBody({ raw: response }: Pick<FastifyReply, 'raw'>): void {
  if (waiting.delete(response)) response.writeContinue()
}
