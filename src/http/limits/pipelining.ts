import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that a connection may have unanswered. Hardly any client sends a second before the answer to the first. */
const mostUnanswered = 16
/** How long a client may take nothing of an answer that is complete, while it waits here in memory. */
const readerLimitMs = 30_000

/**
 * Closes connections that send many requests without waiting for answers. Node hands all requests of a packet over at once, 1 500 small
 * ones in 64 KB, and no timer or other connection gets a turn between them: its parser is stopped amid the packet.
 * Closes those, too, that do not read their answers.
 */
export function limitPipelining(server: Server, { unreadMs = readerLimitMs }: { readonly unreadMs?: number } = {}): void {
  const listeners = server.listeners('request')
  const unanswered = new WeakMap<Socket, number>()
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const count = (unanswered.get(socket) ?? 0) + 1
    if (count > mostUnanswered) {
      stopParsing(socket)
      socket.destroy()
    }
    if (socket.destroyed) return
    unanswered.set(socket, count)
    response.on('prefinish', () => socket.setTimeout(unreadMs))
    // The next one may still be at work. Before Node's own listener, which sends on what of it is there.
    response.prependListener('finish', () => (unanswered.get(socket) ?? 1) > 1 && socket.setTimeout(0))
    response.on('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    for (const listener of listeners) listener.call(server, request, response)
  })
}

/** What a parser treats as the end of HTTP on its connection when it is configured so: it leaves the rest of the packet to somebody else. */
const noMoreHttp = 2

/** Only Node's own field leads to the parser. Without it the rest of the packet is taken apart before the connection is closed. */
function stopParsing(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof parser === 'object' && parser !== null && 'onIncoming' in parser) parser.onIncoming = () => noMoreHttp
}
