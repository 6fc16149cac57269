import type { FastifyReply } from 'fastify'
import type { WorkHolder } from '../operations/access/work-under-way.ts'
import { endWork } from './client-signal.ts'
import type { HttpDependencies } from './http-dependencies.ts'

/** Lets a request end when the account is disabled that it is for, or its token is revoked. */
export function noteWork({ underWay }: Pick<HttpDependencies, 'underWay'>, holder: WorkHolder, reply: FastifyReply): void {
  // Nobody would tell any more when it is over: the client has left, or the deadline answered, while it was found out who asks.
  if (reply.raw.destroyed) return
  const noted = underWay.note(holder, (reason) => endWork(reply, reason))
  reply.raw.on('close', () => noted?.[Symbol.dispose]())
}
