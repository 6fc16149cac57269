import type { FastifyReply } from 'fastify'

const signals = new WeakMap<FastifyReply, AbortSignal>()

/** Why work stops when its client is gone. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** A signal that aborts as soon as the client leaves before its answer is complete. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply)
  if (known !== undefined) return known
  const controller = new AbortController()
  const { raw } = reply
  const leave = () => {
    if (!raw.writableFinished) controller.abort(new ClientGone('The client closed its connection'))
  }
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  signals.set(reply, controller.signal)
  return controller.signal
}
