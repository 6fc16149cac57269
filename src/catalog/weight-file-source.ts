import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Abortable } from '../core/waiting.ts'
import { isPickle, isWeightFile, weightName } from './checkpoint/read-loose-files.ts'
import { readGguf, refuseGguf } from './gguf/read-gguf.ts'
import { type ListedFile, type ModelFile, unknownSum } from './model-file.ts'
import type { ModelSource } from './model-source.ts'
import { type FetchRules, fetchPublic } from './web/fetch-public.ts'
import { explainBreaks } from './web/web-source.ts'

/** Whether a source names a weights file. */
export function isWeightSource(source: string): boolean {
  return isWeightFile(URL.canParse(source) ? new URL(source).pathname : source)
}

/** The place of a weights file and those beside it. */
interface Place {
  /** Name of the requested file. */
  readonly name: string
  /** SHA-256 from the address, `#sha256=…`; null = none. */
  readonly sum: string | null
  /** Size and version of a file. */
  measure(name: string, options: Abortable): Promise<{ readonly bytes: number; readonly version: string }>
  readonly openFile: ModelSource['openFile']
}

/**
 * A `.gguf` or `.safetensors` file at a URL or path as a source; its `model.json` is generated from its name. One part of a split file
 * stands for all.
 *
 * @throws {Error} for a pickle, which is never read.
 */
export function createWeightFileSource(source: string, rules: FetchRules): ModelSource {
  const place = URL.canParse(source) ? placeOnWeb(new URL(source), rules) : placeInFolder(source)
  if (isPickle(place.name))
    throw new Error(`${place.name} is a pickle, which can run code when it is read; use its safetensors or GGUF file.`)
  const names = partNames(place.name)
  let measured: Promise<readonly { readonly bytes: number; readonly version: string }[]> | null = null
  const measure = (options: Abortable) => (measured ??= Promise.all(names.map((name) => place.measure(name, options))))
  return {
    async readModelFile(options) {
      const sha256 = names.length === 1 && place.sum !== null ? place.sum : unknownSum
      const sizes = (await measure(options)).map(({ bytes }) => bytes)
      const empty = names[sizes.indexOf(0)]
      if (empty !== undefined) throw new Error(`${empty} is empty; copy it again.`)
      const files = Object.fromEntries(sizes.map((bytes, index) => [names[index] ?? '', { bytes, sha256 }]))
      return `${JSON.stringify(describe(place.name, names[0] ?? place.name, files), null, 2)}\n`
    },
    version: async (options) => (await measure(options)).map(({ version }) => version).join('\n'),
    describe: async () =>
      place.sum === null
        ? ['There is no checksum to compare with: Sepia checks the size and header, and records the SHA-256 of what arrives.']
        : [],
    examine: (folder) => examineGguf(join(folder, names[0] ?? place.name)),
    openFile: place.openFile,
  }
}

/** Checks a GGUF file of a text model; null = valid. Checkpoints are checked by their description. */
export async function examineGguf(path: string): Promise<string | null> {
  if (!/\.gguf$/i.test(path)) return null
  const facts = await readGguf(path)
  const fault = 'fault' in facts ? facts.fault : refuseGguf(facts)
  return fault === null ? null : `${basename(path)} ${fault}.`
}

function describe(requested: string, file: string, files: Readonly<Record<string, ListedFile>>): ModelFile {
  const name = weightName(requested)
  const id = modelId(name)
  return /\.gguf$/i.test(requested)
    ? { id, name, kind: 'text', format: 'gguf', file, files }
    : { id, name, kind: 'image', format: 'safetensors', file, files }
}

/** Converts a file or folder name to an id. */
export function modelId(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
}

/** All parts of a split GGUF model, given one; otherwise that name alone. */
export function partNames(name: string): readonly string[] {
  const [, start, count = '1', end] = /^(.+)-\d{5}-of-(\d{5})(\.gguf)$/i.exec(name) ?? []
  if (start === undefined) return [name]
  return Array.from({ length: Number(count) }, (_, index) => `${start}-${String(index + 1).padStart(5, '0')}-of-${count}${end}`)
}

function placeOnWeb(address: URL, rules: FetchRules): Place {
  const sum = /^#sha256=([0-9a-f]{64})$/i.exec(address.hash)?.[1]?.toLowerCase() ?? null
  const addressOf = (name: string): URL => {
    const other = new URL(encodeURIComponent(name), address)
    other.search = address.search
    return other
  }
  return {
    name: decodeURIComponent(basename(address.pathname)),
    sum,
    async measure(name, { signal }) {
      const response = await fetchPublic({ address: addressOf(name), from: 0 }, rules, { signal })
      const { 'content-length': length, etag = '', 'last-modified': modified = '' } = response.headers
      response.destroy()
      if (length === undefined) throw new Error(`${addressOf(name)} does not report its size; download the file and pull it from its path.`)
      return { bytes: Number(length), version: `${etag} ${modified}` }
    },
    async openFile(name, offset, { signal }) {
      const from = addressOf(name)
      const response = await fetchPublic({ address: from, from: offset }, rules, { signal })
      return { offset: response.statusCode === 206 ? offset : 0, bytes: explainBreaks(response, from, { rules, signal }) }
    },
  }
}

function placeInFolder(path: string): Place {
  const folder = dirname(path)
  return {
    name: basename(path),
    sum: null,
    async measure(name) {
      const stats = await stat(join(folder, name)).catch((cause) => {
        throw new Error(`${join(folder, name)} cannot be read; check the path.`, { cause })
      })
      return { bytes: stats.size, version: String(stats.mtimeMs) }
    },
    openFile: async (name, offset, { signal }) => ({
      offset,
      bytes: createReadStream(join(folder, name), { start: offset, highWaterMark: 1 << 20, signal }),
    }),
  }
}
