import type { AssetDescriptor } from '../../core/assets/asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AdapterUse } from '../../core/text-generation.ts'
import { type AdapterSet, noAdapters } from './batch/adapter-set.ts'
import type { DecodeLoop } from './batch/decode-loop.ts'
import { unloading } from './batch/running-generation.ts'
import type { Pointer } from './binding/llama-layout.ts'
import type { NativeModel } from './binding/native-model.ts'

/** Maximum number of unused adapters kept in memory. */
const maxIdle = 4

/** An adapter in memory, or on its way there. */
interface Shelved {
  readonly pointer: Promise<Pointer>
  users: number
  /** Counts up with each use; the smallest leaves first. */
  lastUsed: number
}

/** The adapters of a request, which stay in memory until it gives them back. */
export interface AdapterLease extends Disposable {
  readonly set: AdapterSet
}

interface ShelfParts {
  readonly model: string
  readonly native: Pick<NativeModel, 'readAdapter' | 'freeAdapter'>
  readonly loop: Pick<DecodeLoop, 'between' | 'dropAdapters'>
}

/** LoRA adapters of a language model, loaded on first use and cached. */
export class AdapterShelf implements AsyncDisposable {
  readonly #parts: ShelfParts
  /** By file and version. */
  readonly #shelved = new Map<string, Shelved>()
  #uses = 0
  /** The last load; serialized, since llama.cpp's error messages do not identify the file. */
  #reading: Promise<unknown> = Promise.resolve()
  #disposed = false

  constructor(parts: ShelfParts) {
    this.#parts = parts
  }

  /**
   * Loads a request's adapters.
   *
   * @param files Paths of the adapters.
   * @throws {ServiceError} `unsupported_parameter` naming an incompatible adapter, `shutting_down` while the model is being unloaded.
   */
  async lease(uses: readonly AdapterUse[], files: readonly AssetDescriptor[]): Promise<AdapterLease> {
    if (this.#disposed) throw unloading()
    const wanted = uses
      .map(({ name, scale }) => ({ file: requireFile(files, name), scale }))
      .toSorted((a, b) => (a.file.file < b.file.file ? -1 : 1)) // sets are equal in any order
    if (wanted.length === 0) return { set: noAdapters, [Symbol.dispose]: () => {} }
    const taken = wanted.map(({ file }) => this.#take(file))
    const giveBack = (): void => {
      for (const each of taken) each.users--
      this.#tidy()
    }
    try {
      const pointers = await Promise.all(taken.map(({ pointer }) => pointer))
      const adapters = pointers.map((pointer, index) => ({ pointer, scale: wanted[index]?.scale ?? 0 }))
      const key = wanted.map(({ file, scale }) => `${versionOf(file)} ${scale}`).join('\n')
      return { set: { key, adapters }, [Symbol.dispose]: giveBack }
    } catch (error) {
      giveBack()
      throw error
    }
  }

  #take(file: AssetDescriptor): Shelved {
    const version = versionOf(file)
    const shelved = this.#shelved.get(version) ?? this.#read(file)
    shelved.users++
    shelved.lastUsed = ++this.#uses
    this.#shelved.set(version, shelved)
    return shelved
  }

  #read({ name, file, ...rest }: AssetDescriptor): Shelved {
    const { model, native } = this.#parts
    const reading = this.#reading.then(() => native.readAdapter(file))
    this.#reading = reading.catch(() => {})
    const pointer = reading.then((read) => {
      if (typeof read !== 'string') return read
      this.#shelved.delete(versionOf({ ...rest, name, file }))
      const message = `\`lora\` names ${name}, which does not fit ${model} (${read}); use an adapter that was trained for this model.`
      throw new ServiceError('unsupported_parameter', message, { param: 'lora' })
    })
    return { pointer, users: 0, lastUsed: 0 }
  }

  /** Ends once nothing reads the model any more. It frees nothing: the model frees its adapters with itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    await this.#reading
  }

  /** Frees the least recently used adapters, between two batches. */
  #tidy(): void {
    if (this.#disposed) return
    const idle = [...this.#shelved].filter(([, { users }]) => users === 0).toSorted(([, a], [, b]) => b.lastUsed - a.lastUsed)
    for (const [version, { pointer }] of idle.slice(maxIdle)) {
      this.#shelved.delete(version)
      const free = async (): Promise<void> => {
        const read = await pointer
        this.#parts.loop.dropAdapters() // the last batch may have used this one
        this.#parts.native.freeAdapter(read)
      }
      this.#parts.loop.between(free).catch(() => {}) // one that could not be read
    }
  }
}

function versionOf({ file, bytes, created }: AssetDescriptor): string {
  return `${file} ${bytes} ${created}`
}

function requireFile(files: readonly AssetDescriptor[], name: string): AssetDescriptor {
  const file = files.find((each) => each.name === name)
  if (file !== undefined) return file
  throw new ServiceError('unsupported_parameter', `\`lora\` names ${name}, which is not installed where the model runs.`, { param: 'lora' })
}
