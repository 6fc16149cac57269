import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ModelDescriptor } from '../core/model.ts'
import { CatalogError } from './catalog-fault.ts'
import { checkModelFile } from './check-model-file.ts'
import { openCatalog } from './open-catalog.ts'
import { type FileProgress, verifyModel } from './verify-model.ts'

export interface PullOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: FileProgress) => void
}

/** Largest `model.json` that is read, in bytes. */
const maxModelFileBytes = 1 << 20

/**
 * Fetches a model folder from a web server: its `model.json`, then every file that it lists, each checked against its
 * checksum. The folder appears once it is whole.
 *
 * @param source Address of the `model.json`; the files lie beside it.
 * @throws {CatalogError} when the model.json or a file is not as it should be.
 */
export async function pullModel(
  { modelsFolder }: { readonly modelsFolder: string },
  source: string,
  { signal, onProgress }: PullOptions,
): Promise<ModelDescriptor> {
  const address = parseAddress(source)
  const text = await fetchModelFile(address, signal)
  const checked = checkModelFile(address.href, text)
  if ('faults' in checked) throw new CatalogError(checked.faults)
  const { id, files } = checked.modelFile
  if (files === undefined)
    throw fault(address.href, 'files', 'must list every file with its size and checksum; only then can it be pulled.')

  const folder = join(modelsFolder, id.replaceAll('/', '--'))
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  try {
    const bytesTotal = Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0)
    let bytesBefore = 0
    for (const [path, { bytes }] of Object.entries(files)) {
      const base = bytesBefore
      const onBytes = (done: number): void => onProgress({ path, bytesDone: base + done, bytesTotal })
      await fetchFile(new URL(path.split('/').map(encodeURIComponent).join('/'), address), join(unfinished, path), {
        bytes,
        signal,
        onBytes,
      })
      bytesBefore += bytes
    }
    await writeFile(join(unfinished, 'model.json'), text)
    const faults = await verifyModel({ folder: unfinished }, { signal, onProgress: () => undefined })
    if (faults.length > 0) throw new CatalogError(faults)
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return readModel(folder)
}

function parseAddress(source: string): URL {
  const address = URL.canParse(source) ? new URL(source) : undefined
  if (address === undefined || !['http:', 'https:'].includes(address.protocol) || !address.pathname.endsWith('/model.json')) {
    throw fault(source, '', 'is not an address of a model.json, such as https://models.example/tiny-chat/model.json.')
  }
  return address
}

async function fetchModelFile(address: URL, signal: AbortSignal): Promise<string> {
  const pieces = await Array.fromAsync(download(address, { maxBytes: maxModelFileBytes, signal }))
  return Buffer.concat(pieces).toString('utf8')
}

async function fetchFile(
  address: URL,
  file: string,
  { bytes, signal, onBytes }: { readonly bytes: number; readonly signal: AbortSignal; readonly onBytes: (done: number) => void },
): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await pipeline(countBytes(download(address, { maxBytes: bytes, signal }), onBytes), createWriteStream(file, { flush: true }), { signal })
}

async function* countBytes(pieces: AsyncIterable<Uint8Array>, onBytes: (done: number) => void): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const piece of pieces) {
    done += piece.length
    onBytes(done)
    yield piece
  }
}

async function* download(
  address: URL,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const response = await fetch(address, { signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw fault(address.href, '', `cannot be fetched: ${describeCause(error)}.`)
  })
  if (!response.ok || response.body === null) throw fault(address.href, '', `cannot be fetched: the server answers ${response.status}.`)
  let received = 0
  for await (const piece of response.body) {
    received += piece.length
    if (received > maxBytes) throw fault(address.href, '', `is longer than the ${maxBytes} bytes it may have.`)
    yield piece
  }
}

/** The reason behind fetch's "fetch failed". */
function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

async function readModel(folder: string): Promise<ModelDescriptor> {
  const catalog = await openCatalog({ folders: [folder] })
  const [model] = catalog.list()
  if (model === undefined) throw fault(folder, '', 'holds no model; pull it again.')
  return model
}

function fault(file: string, field: string, message: string): CatalogError {
  return new CatalogError([{ file, field, message }])
}
