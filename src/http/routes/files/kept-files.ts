import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findFile, readFileDocument } from '../../../operations/files/file-documents.ts'
import { readFile } from '../../../operations/files/read-file.ts'
import { removeFile } from '../../../operations/files/remove-file.ts'
import { sendChunks } from '../../answers/send-chunks.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import { encodeDocumentPage, readDocumentPage } from '../../wire/files/document-page.ts'
import { encodeFile } from '../../wire/files/file-object.ts'

interface FileRoute {
  readonly Params: { readonly id: string }
}

/** As OpenAI has it. */
const mostFilesPerPage = 10_000

/** GET and DELETE /v1/files…: one's own files. */
export function registerKeptFiles(api: FastifyInstance, deps: RouteDependencies): void {
  const targetOf = (incoming: FastifyRequest<FileRoute>) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    return { accountId: caller.accountId, id: incoming.params.id }
  }

  api.get('/v1/files', { config: { query: ['after', 'limit', 'order', 'purpose'] } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const options = { signal: clientSignal(reply) }
    const { purpose, ...query } = Object(incoming.query)
    const page = await readDocumentPage(
      deps.documents,
      { kind: 'file', accountId: caller.accountId, query, most: mostFilesPerPage },
      options,
    )
    const found = await deps.documents.list({ ...page, ...(purpose !== undefined && { label: String(purpose) }) }, options)
    return encodeDocumentPage(
      found.map((document) => encodeFile(readFileDocument(document))),
      page,
    )
  })

  api.get<FileRoute>('/v1/files/:id', async (incoming, reply) =>
    encodeFile(await findFile(deps, targetOf(incoming), { signal: clientSignal(reply) })),
  )

  api.get<FileRoute>('/v1/files/:id/content', async (incoming, reply) => {
    const options = { signal: clientSignal(reply) }
    const file = await findFile(deps, targetOf(incoming), options)
    // Never something that a browser would run.
    reply.header('content-disposition', `attachment; filename="${file.id}"`).header('x-content-type-options', 'nosniff')
    await sendChunks({ clock: deps.clock, onFailure: (error) => deps.observer.faultSurvived({ requestId: incoming.id, error }) }, reply, {
      contentType: 'application/octet-stream',
      bytes: file.bytes,
      chunks: readFile(deps, file, options),
    })
    return reply
  })

  api.delete<FileRoute>('/v1/files/:id', async (incoming, reply) => {
    const target = targetOf(incoming)
    await removeFile(deps, target, { signal: clientSignal(reply) })
    return { id: target.id, object: 'file', deleted: true }
  })
}
