import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * Asks clients that wait with their body (`Expect: 100-continue`) for it once the caller may send one; who is refused hears that
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
