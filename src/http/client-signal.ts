import type { FastifyReply } from 'fastify'
import type { WorkHolder, WorkUnderWay } from '../operations/access/work-under-way.ts'

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

/** A signal that aborts when the client leaves before its answer is complete, or its account or token ends. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  return controllerOf(reply).signal
}

/** Stops the work of a request whose client is still connected. The reason becomes the answer unless one has begun. */
function endWork(reply: FastifyReply, reason: Error): void {
  controllerOf(reply).abort(reason)
}

/** Registers a request's work, so that it ends when its account is disabled or its token revoked. */
export function registerWork({ underWay }: { readonly underWay: WorkUnderWay }, holder: WorkHolder, reply: FastifyReply): void {
  // The client left or the deadline passed during authentication, so the work would never be unregistered.
  if (reply.raw.destroyed) return
  const noted = underWay.note(holder, (reason) => endWork(reply, reason))
  reply.raw.on('close', () => noted[Symbol.dispose]())
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
