import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Unanswered requests allowed per connection. Hardly any client sends a second one before the answer to the first. */
const maxUnanswered = 16
/** How long a client may leave a complete answer unread in this process's memory. */
const readerLimitMs = 30_000

/**
 * Closes connections that send many requests without waiting for answers, and those that do not read their answers.
 *
 * Node emits all requests of a packet at once (1 500 small ones in 64 KB), and no timer or other connection runs between them. So its parser
 * is stopped in the middle of the packet.
 */
export function limitPipelining(server: Server, { unreadMs = readerLimitMs }: { readonly unreadMs?: number } = {}): void {
  const listeners = server.listeners('request')
  const unanswered = new WeakMap<Socket, number>()
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const count = (unanswered.get(socket) ?? 0) + 1
    if (count > maxUnanswered) {
      stopParsing(socket)
      socket.destroy()
    }
    if (socket.destroyed) return
    unanswered.set(socket, count)
    response.on('prefinish', () => {
      if (socket.writableLength === 0) return // the system has taken all of it, as it does with most answers
      socket.setTimeout(unreadMs)
      // The next answer may still be running. Prepended, because Node's own listener then sends the part of it that exists.
      response.prependListener('finish', () => (unanswered.get(socket) ?? 1) > 1 && socket.setTimeout(0))
    })
    response.on('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    for (const listener of listeners) listener.call(server, request, response)
  })
}

/** Return value with which Node's parser ends HTTP on a connection and leaves the rest of the packet unparsed. */
const noMoreHttp = 2

/** Only Node's internal field gives access to the parser. Without it, the rest of the packet is parsed before the connection closes. */
function stopParsing(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof parser === 'object' && parser !== null && 'onIncoming' in parser) parser.onIncoming = () => noMoreHttp
}
