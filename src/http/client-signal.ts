import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyReply {
    /** Stops the request's work; set once {@link clientSignal} was called. */
    work?: AbortController
  }
}

/** Why work stops when its client disconnects. */
class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** A signal that aborts when the client leaves before its answer is complete, or {@link endWork} is called. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  return controllerOf(reply).signal
}

/** Stops the work of a request whose client is still connected. The reason becomes the answer unless one has begun. */
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
