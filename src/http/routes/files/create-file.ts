import type { FastifyInstance } from 'fastify'
import { dropBytes, keepFile, type StoredBytes, storeBytes } from '../../../operations/files/store-file.ts'
import { receivedForm } from '../../body/form/received-form.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { encodeFile } from '../../wire/files/file-object.ts'
import { fileFault, parseFileRequest, readFileName } from '../../wire/files/file-request.ts'

/** POST /v1/files: keeps a file, which goes to the store as it comes in. */
export function registerCreateFile(api: FastifyInstance, deps: RouteDependencies, { mostDocumentBytes }: HttpSettings): void {
  const files = { ...deps, mostDocumentBytes }
  api.post('/v1/files', { config: { form: 'stored' } }, async (incoming, reply) => {
    const { accountId, ...caller } = callerOf(incoming)
    requireScope({ accountId, ...caller }, ['text'])
    const options = { signal: clientSignal(reply) }
    const stored: StoredBytes[] = []
    try {
      const { fields, files: received } = await receivedForm(incoming).read(async ({ field, name, content }) => {
        if (field !== 'file' || stored.length > 0) throw fileFault('must be the only file of the form, sent once.')
        const bytes = await storeBytes(files, { accountId, content }, options)
        stored.push(bytes)
        return { name: readFileName(name), bytes }
      })
      const request = parseFileRequest(fields)
      const [only, another] = received
      if (only === undefined || another !== undefined) throw fileFault('is required: add one file.')
      const { name, bytes } = only.file
      return encodeFile(await keepFile(files, bytes, { name, ...request }, options))
    } catch (error) {
      for (const bytes of stored) await dropBytes(deps, bytes)
      throw error
    }
  })
}
