import type { FastifyReply, FastifyRequest } from 'fastify'

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
