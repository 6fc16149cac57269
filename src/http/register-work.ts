import type { FastifyReply } from 'fastify'
import type { WorkHolder } from '../operations/access/work-under-way.ts'
import { endWork } from './client-signal.ts'
import type { HttpDependencies } from './http-dependencies.ts'

/** Registers a request's work, so that it ends when its account is disabled or its token revoked. */
export function registerWork({ underWay }: Pick<HttpDependencies, 'underWay'>, holder: WorkHolder, reply: FastifyReply): void {
  // The client left or the deadline passed during authentication, so the work would never be unregistered.
  if (reply.raw.destroyed) return
  const noted = underWay.note(holder, (reason) => endWork(reply, reason))
  reply.raw.on('close', () => noted?.[Symbol.dispose]())
}
