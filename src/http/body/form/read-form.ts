import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ServiceError } from '../../../core/error.ts'
import type { Form } from '../../wire/forms/read-form-fields.ts'

/** A file of a form that is still arriving. Its content must be read to the end. */
export interface IncomingFile {
  readonly field: string
  /** The client's file name, without folders. */
  readonly name: string
  readonly content: AsyncIterable<Buffer>
}

/**
 * Reads a multipart form as it arrives.
 *
 * @param chunks The body, already counted.
 * @param takeFile Called when a file begins; an error ends the reading.
 * @throws {ServiceError} `invalid_request_error` for a malformed form or one with too many or too large parts, and the errors of `takeFile`
 * and the body.
 */
export async function readForm<File>(
  chunks: AsyncIterable<Buffer>,
  headers: IncomingHttpHeaders,
  takeFile: (file: IncomingFile) => Promise<File>,
): Promise<Form<File>> {
  const parser = openParser(headers)
  const fields = new Map<string, string[]>()
  const files: { readonly field: string; readonly file: Promise<File> }[] = []
  const contents: Readable[] = []
  const failed = new AbortController()
  const fail = (error: unknown): void => failed.abort(error)
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) return fail(tooMuch(nameTruncated ? 'names' : 'values'))
    const known = fields.get(name)
    if (known === undefined) fields.set(name, [value])
    else known.push(value)
  })
  parser.on('file', (field: string, content: Readable, name: string) => {
    contents.push(content)
    const file = takeFile({ field, name, content })
    file.catch(fail)
    files.push({ field, file })
  })
  for (const kind of ['parts', 'files', 'fields'] as const) parser.on(`${kind}Limit`, () => fail(tooMuch(kind)))
  parser.on('error', (cause) => fail(malformed(cause)))
  try {
    await pump(chunks, parser, failed.signal)
    return { fields, files: await Promise.all(files.map(async ({ field, file }) => ({ field, file: await file }))) }
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error
  } finally {
    parser.destroy()
    // A reader of a part must not wait for bytes that never arrive.
    for (const content of contents) content.destroy()
  }
}

async function pump(chunks: AsyncIterable<Buffer>, parser: BusboyInstance, signal: AbortSignal): Promise<void> {
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    if (!parser.write(chunk)) await once(parser, 'drain', { signal })
  }
  signal.throwIfAborted()
  const finished = once(parser, 'finish', { signal })
  parser.end()
  await finished
}

function openParser(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits: formLimits })
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): ServiceError {
  return new ServiceError('invalid_request_error', 'Send a complete multipart form that matches the boundary in its Content-Type.', {
    cause,
  })
}

function tooMuch(kind: 'parts' | 'files' | 'fields' | 'names' | 'values'): ServiceError {
  const { fields, files, parts, fieldNameSize, fieldSize } = formLimits
  const most = { parts, files, fields, names: `${fieldNameSize} bytes each of`, values: `${fieldSize} bytes each of` }[kind]
  return new ServiceError(
    'invalid_request_error',
    `Send at most ${most} ${kind === 'names' || kind === 'values' ? `field ${kind}` : kind} in a form.`,
  )
}

/** The limits of a form; its total size has the route's limit. */
const formLimits = {
  fieldNameSize: 100,
  /** The longest prompt, in bytes. */
  fieldSize: 128 * 1024,
  fields: 64,
  files: 20,
  parts: 80,
  headerPairs: 16,
  headerSize: 8 * 1024,
} as const
