import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { AuditLog, NumberedAuditEntry } from '../../core/ports/audit-log.ts'
import { csv } from '../../core/text/csv.ts'
import type { Abortable } from '../../core/waiting.ts'
import { clientSignal } from '../../http/client-signal.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { AuditPage } from '../contract/audit.ts'
import { createQueryReader } from '../read-console-input.ts'
import { ownerOf } from '../sign-in/signed-in.ts'

const perPage = 100
const perRead = 1000
const readQuery = createQueryReader({ before: Type.Optional(Type.String({ pattern: '^\\d{1,15}$' })) })
const columns = ['number', 'time', 'action', 'account', 'address', 'subject', 'detail']

/** GET /console/api/audit, audit.csv and audit.json, for owners: actions with account and address, newest first. */
export function registerAudit(own: FastifyInstance, { audit, tokens }: Pick<ConsoleDependencies, 'audit' | 'tokens'>): void {
  own.get('/console/api/audit', async (request, reply): Promise<AuditPage> => {
    ownerOf(request)
    const { before } = readQuery(request)
    const options = { signal: clientSignal(reply) }
    const entries = await audit.list({ before: before === undefined ? null : Number(before), limit: perPage }, options)
    const ids = entries.flatMap(({ action, subject }) => (action.startsWith('token-') && subject !== null ? [subject] : []))
    const names = await tokens.namesOf([...new Set(ids)], options)
    const named = Array.from(names, ([id, name]) => ({ id, name }))
    return { entries, tokens: named, next: entries.length < perPage ? null : String(entries.at(-1)?.number) }
  })

  const files = { 'audit.csv': ['text/csv', writeTable], 'audit.json': ['application/json', writeJson] } as const
  for (const [name, [type, write]] of Object.entries(files))
    own.get(`/console/api/${name}`, async (request, reply) => {
      ownerOf(request)
      reply.type(`${type}; charset=utf-8`).header('content-disposition', `attachment; filename="sepia-${name}"`)
      return reply.send(Readable.from(write(audit, { signal: clientSignal(reply) })))
    })
}

async function* writeJson(audit: AuditLog, options: Abortable): AsyncGenerator<string, void, undefined> {
  yield '{"entries":['
  let isFirst = true
  for await (const entries of readAll(audit, options)) {
    yield `${isFirst ? '' : ','}\n${entries.map((entry) => JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })).join(',\n')}`
    isFirst = false
  }
  yield '\n]}\n'
}

async function* writeTable(audit: AuditLog, options: Abortable): AsyncGenerator<string, void, undefined> {
  yield csv([columns])
  for await (const entries of readAll(audit, options))
    yield csv(
      entries.map(({ number, at, action, accountId, address, subject, detail }) => [
        ...[number, new Date(at).toISOString(), action, accountId ?? 'operator'],
        ...[address, subject, detail],
      ]),
    )
}

/** The whole log, newest first, in chunks. */
async function* readAll(audit: AuditLog, options: Abortable): AsyncGenerator<readonly NumberedAuditEntry[], void, undefined> {
  for (let before: number | null = null; ; ) {
    const entries: readonly NumberedAuditEntry[] = await audit.list({ before, limit: perRead }, options)
    const last = entries.at(-1)
    if (last === undefined) return
    yield entries
    before = last.number
  }
}
