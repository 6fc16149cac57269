import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ServiceError } from '../../../core/error.ts'
import type { Form } from '../../wire/forms/read-form-fields.ts'

/** A file of a form while it comes in; its content must be read to its end. */
export interface IncomingFile {
  readonly field: string
  /** As the client names it; without folders. */
  readonly name: string
  readonly content: AsyncIterable<Buffer>
}

/**
 * Reads a multipart form while it comes in.
 *
 * @param chunks The body, already counted.
 * @param takeFile Called with each file when it begins; a refusal ends the reading.
 * @throws {ServiceError} `invalid_request_error` for a form that is malformed or has more or larger parts than one may have, and what
 *   `takeFile` and the body throw.
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
    // A reader of one must not wait for bytes that never come.
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

/** What a form may hold; its bytes have the limit of their route. */
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
