import { readStored } from '../../operations/deferred/outputs.ts'
import { findFile, readFileDocument } from '../../operations/files/file-documents.ts'
import { dropBytes, keepFile, readFile, removeFile, type StoredBytes, storeBytes } from '../../operations/files/kept-files.ts'
import { afterFirst } from '../answers/first-part.ts'
import { sendChunks } from '../answers/send-chunks.ts'
import { receivedForm } from '../body/form/received-form.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import type { Call, Route } from '../route.ts'
import {
  encodeFile,
  fileDeletedSchema,
  fileFault,
  fileObjectSchema,
  fileRequestSchema,
  parseFileRequest,
  readFileName,
} from '../wire/files/file.ts'
import { encodeDocumentPage, pageSchema, readDocumentPage } from '../wire/page.ts'
import { inPath, inQuery, json, media, pageParameters } from './row-parts.ts'

/** OpenAI's limit. */
const maxFilesPerPage = 10_000

const id = inPath('id', "The file's id.")
const targetOf = ({ caller: { accountId }, param }: Call) => ({ accountId, id: param('id') })

/** /v1/files: an account's own files, stored as they arrive. */
export const fileRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a file',
    description: 'Files for batches are kept for 30 days, unless `expires_after` sets another time; `user_data` until you delete it.',
    scopes: ['text'],
    takes: 'stored-form',
    body: fileRequestSchema,
    answers: [json('The file.', fileObjectSchema)],
    refusals: [400, 413, 415, 429, 503],
    handle: (deps) => async (call) => {
      const { bytes, ...file } = await receiveFile(deps, call)
      return encodeFile(await keepFile(deps, bytes, file, call.options))
    },
  },
  {
    method: 'GET',
    path: '/v1/files',
    summary: 'List your files, newest first',
    scopes: ['text'],
    parameters: [...pageParameters('desc'), inQuery('purpose', 'Only files with this purpose.')],
    answers: [json('A page of files.', pageSchema(fileObjectSchema))],
    refusals: [400, 429],
    handle:
      ({ documents }) =>
      async ({ caller: { accountId }, query: { purpose, ...query }, options }) => {
        const page = await readDocumentPage(documents, { kind: 'file', accountId, query, most: maxFilesPerPage }, options)
        const found = await documents.list({ ...page, label: purpose === undefined ? undefined : String(purpose) }, options)
        return encodeDocumentPage(
          found.map((document) => encodeFile(readFileDocument(document))),
          page,
        )
      },
  },
  {
    method: 'GET',
    path: '/v1/files/{id}',
    summary: 'Get a file',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The file.', fileObjectSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => encodeFile(await findFile(deps, targetOf(call), call.options)),
  },
  {
    method: 'GET',
    path: '/v1/files/{id}/content',
    summary: 'Fetch the content of a file',
    scopes: ['text'],
    parameters: [id],
    answers: [media('The bytes of the file.', 'application/octet-stream')],
    refusals: [404, 429],
    handle: (deps) => async (call) => {
      const { reply, options, onFailure } = call
      const find = () => findFile(deps, targetOf(call), options)
      const file = await find()
      // The first piece is read before the status is sent, since the file may be deleted meanwhile.
      const pieces = () => afterFirst(readFile(deps, file, options))
      const chunks = call.incoming.method === 'HEAD' ? [] : await readStored(pieces, find)
      // An attachment, so that a browser never runs its content.
      reply.header('content-disposition', `attachment; filename="${file.id}"`).header('x-content-type-options', 'nosniff')
      const answer = { contentType: 'application/octet-stream', bytes: file.bytes, chunks }
      await sendChunks({ clock: deps.clock, onFailure }, reply, answer)
      return reply
    },
  },
  {
    method: 'DELETE',
    path: '/v1/files/{id}',
    summary: 'Delete a file',
    description: 'The input of a batch stays until the batch has ended.',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The file is deleted.', fileDeletedSchema)],
    refusals: [404, 409, 429],
    handle: (deps) => async (call) => {
      await removeFile(deps, targetOf(call), call.options)
      return { id: call.param('id'), object: 'file', deleted: true }
    },
  },
]

/** Stores the only file of a form; a faulty form leaves nothing behind. */
async function receiveFile(
  deps: RouteDependencies,
  { incoming, caller: { accountId }, options }: Call,
): Promise<ReturnType<typeof parseFileRequest> & { readonly name: string; readonly bytes: StoredBytes }> {
  const stored: StoredBytes[] = []
  try {
    const { fields, files: received } = await receivedForm(incoming).read(async ({ field, name, content }) => {
      if (field !== 'file' || stored.length > 0) throw fileFault('must be the only file of the form, sent once.')
      const bytes = await storeBytes(deps, { accountId, content }, options)
      stored.push(bytes)
      return { name: readFileName(name), bytes }
    })
    const request = parseFileRequest(fields)
    const [only, another] = received
    if (only === undefined || another !== undefined) throw fileFault('is required: add one file.')
    // The last moment at which there is surely no record.
    options.signal.throwIfAborted()
    return { ...request, ...only.file }
  } catch (error) {
    for (const bytes of stored) await dropBytes(deps, bytes)
    throw error
  }
}
