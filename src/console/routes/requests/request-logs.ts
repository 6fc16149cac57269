import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { hourMs } from '../../../core/ports/clock.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { clientSignal } from '../../../http/client-signal.ts'
import { findBodyLog, switchBodyLogOff, switchBodyLogOn } from '../../../operations/bodies/body-log.ts'
import { removeBodies, sumBodies } from '../../../operations/bodies/kept-bodies.ts'
import type { ConsoleDependencies, ConsoleSettings } from '../../console-dependencies.ts'
import type { RequestLogState, RequestLogWish } from '../../contract/request-logs.ts'
import { type BodyReader, createBodyReader } from '../../read-console-input.ts'
import { recordAudit } from '../../record-audit.ts'
import { ownerOf } from '../../sign-in/signed-in.ts'

const longestOffAfterHours = 365 * 24
const readWish: BodyReader<RequestLogWish> = createBodyReader({
  keepHours: Type.Integer({ minimum: 1 }),
  offAfterHours: Type.Optional(Type.Integer({ minimum: 1, maximum: longestOffAfterHours })),
})

/** /console/api/accounts/:id/request-log: switches an account's request log, for owners. */
export function registerRequestLogs(
  own: FastifyInstance,
  deps: Pick<ConsoleDependencies, 'accounts' | 'audit' | 'clock' | 'documents' | 'outputs' | 'bodies' | 'bodyKeys'>,
  { requestLog: { mostKeepMs, mostBytes } }: Pick<ConsoleSettings, 'requestLog'>,
): void {
  const path = '/console/api/accounts/:id/request-log'
  const state = async (id: string, options: Abortable): Promise<RequestLogState> => {
    const found = await findBodyLog(deps, id, options)
    const { count: bodies, bytes } = await sumBodies(deps, id, options)
    const on = found && { since: found.since, keepMs: found.keepMs, until: found.until }
    return { on, bodies, bytes, mostBytes, mostKeepHours: Math.floor(mostKeepMs / hourMs) }
  }
  const requireAccount = async (id: string, options: Abortable): Promise<void> => {
    if (id.length > 100 || (await deps.accounts.find(id, options)) === null)
      throw new ServiceError('not_found', 'There is no such account.')
  }

  own.get<{ Params: { id: string } }>(path, async (request, reply): Promise<RequestLogState> => {
    ownerOf(request)
    const options = { signal: clientSignal(reply) }
    await requireAccount(request.params.id, options)
    return state(request.params.id, options)
  })

  own.put<{ Params: { id: string } }>(path, async (request, reply): Promise<RequestLogState> => {
    ownerOf(request)
    const { id } = request.params
    const { keepHours, offAfterHours = null } = readWish(request)
    const options = { signal: clientSignal(reply) }
    await requireAccount(id, options)
    const wish = { accountId: id, keepMs: keepHours * hourMs, forMs: offAfterHours === null ? null : offAfterHours * hourMs }
    const on = await switchBodyLogOn({ ...deps, keys: deps.bodyKeys, mostKeepMs }, wish, options)
    if (on !== null) await recordAudit(deps, request, 'request-log-on', { subject: id, detail: JSON.stringify(on) })
    await deps.bodies.refresh(options)
    return state(id, options)
  })

  own.delete<{ Params: { id: string } }>(path, async (request, reply): Promise<RequestLogState> => {
    ownerOf(request)
    const { id } = request.params
    const options = { signal: clientSignal(reply) }
    await requireAccount(id, options)
    if (await switchBodyLogOff(deps, id, options)) await recordAudit(deps, request, 'request-log-off', { subject: id })
    await deps.bodies.refresh(options)
    return state(id, options)
  })

  own.delete<{ Params: { id: string } }>(`${path}/bodies`, async (request, reply): Promise<RequestLogState> => {
    ownerOf(request)
    const { id } = request.params
    const options = { signal: clientSignal(reply) }
    await requireAccount(id, options)
    const removed = await removeBodies(deps, id, options)
    if (removed > 0) await recordAudit(deps, request, 'request-log-deleted', { subject: id, detail: String(removed) })
    return state(id, options)
  })
}
