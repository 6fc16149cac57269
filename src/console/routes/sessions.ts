import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientSignal } from '../../http/client-signal.ts'
import { hashSecretText } from '../../operations/access/secret-text.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { SessionList } from '../contract/sessions.ts'
import { recordAudit } from '../record-audit.ts'
import { endSession, listOpenSessions } from '../sign-in/session.ts'
import { readSessionCookie } from '../sign-in/session-cookie.ts'
import { personOf } from '../sign-in/signed-in.ts'

/** /console/api/sessions: the browsers that are signed in to the caller's own account. */
export function registerSessions(
  own: FastifyInstance,
  deps: Pick<ConsoleDependencies, 'accounts' | 'audit' | 'clock' | 'addresses'>,
): void {
  const hashOf = ({ headers }: FastifyRequest) => hashSecretText(readSessionCookie(headers, deps.addresses().publicUrl) ?? '')

  own.get('/console/api/sessions', async (request, reply): Promise<SessionList> => {
    const sessions = await listOpenSessions(deps, personOf(request).id, { signal: clientSignal(reply) })
    const current = hashOf(request)
    return { sessions: sessions.map(({ hash, accountId: _, ...shown }) => ({ id: hash, current: hash === current, ...shown })) }
  })

  own.delete('/console/api/sessions', async (request, reply) => {
    const options = { signal: clientSignal(reply) }
    const accountId = personOf(request).id
    const current = hashOf(request)
    const others = (await deps.accounts.listSessions(accountId, options)).filter(({ hash }) => hash !== current)
    for (const { hash } of others) await deps.accounts.deleteSession(hash, options)
    await recordAudit(deps, request, 'sessions-ended', { detail: String(others.length) })
    return reply.code(204).send()
  })

  own.delete<{ Params: { id: string } }>('/console/api/sessions/:id', async (request, reply) => {
    await endSession(deps, { hash: request.params.id, accountId: personOf(request).id }, { signal: clientSignal(reply) })
    await recordAudit(deps, request, 'sessions-ended', { detail: '1' })
    return reply.code(204).send()
  })
}
