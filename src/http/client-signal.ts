import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyReply {
    /** Ends the work for its request, where anything asked for {@link clientSignal}. */
    work?: AbortController
  }
}

/** Why work stops when its client is gone. */
class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** A signal that aborts as soon as the client leaves before its answer is complete, or {@link endWork} is called. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  return controllerOf(reply).signal
}

/** Ends the work for a request whose client is still there; it gets the reason as its answer, as far as that has not begun. */
export function endWork(reply: FastifyReply, reason: Error): void {
  controllerOf(reply).abort(reason)
}

function controllerOf(reply: FastifyReply): AbortController {
  if (reply.work !== undefined) return reply.work
  const controller = new AbortController()
  const { raw } = reply
  const leave = () => {
    if (!raw.writableFinished) controller.abort(new ClientGone('The client closed its connection'))
  }
  if (raw.destroyed) leave()
  else raw.on('close', leave)
  reply.work = controller
  return controller
}
