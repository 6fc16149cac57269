import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../../core/error.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { OutputContent, OutputName, OutputStore, StoredOutput } from '../../core/ports/output-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { damagedOutput, outputsUnreadable, unreadableOutput } from '../output-faults.ts'
import { keepPrivate, proveWritable, syncFolder } from '../private-files.ts'
import { toWriteFault, unwritable } from '../write-fault.ts'
import { readPieces, readSpan, writeDurably } from './output-file.ts'
import { watchDataFolder } from './watch-data-folder.ts'

/** Longer than any write; younger files may belong to another process. */
const abandonedAfterMs = 60 * 60 * 1000

/**
 * Stores outputs as files `<folder>/<first two characters of the id>/<id>.<attempt>`.
 *
 * Only this user has access to the folder, even if an older version created it. A file is written under a temporary name, synced and
 * renamed, so that it is always complete under its own name.
 */
export async function openFilesystemOutputs({ folder, clock }: { readonly folder: string; readonly clock: Clock }): Promise<OutputStore> {
  const unfinished = unfinishedIn(folder)
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  for (const path of [folder, unfinished]) keepPrivate(path)
  await removeAbandoned(unfinished, clock.now() - abandonedAfterMs)
  await syncFolder(folder)
  return new FilesystemOutputs({
    folder,
    unfinished,
    clock,
    isApart: await isApart(folder),
    isHomeGone: await watchDataFolder(dirname(folder)),
  })
}

/**
 * Checks that outputs can be stored in an opened folder.
 *
 * @throws {Error} with the fix if they cannot.
 */
export async function proveOutputsWritable(folder: string): Promise<void> {
  for (const path of [folder, unfinishedIn(folder)]) await proveWritable(path)
}

interface Places {
  readonly folder: string
  readonly unfinished: string
  /** Whether it is on a disk of its own. */
  readonly isApart: boolean
  /** Whether the parent folder is missing or was replaced. */
  readonly isHomeGone: () => Promise<boolean>
}

/** System error codes for a file that is missing, was replaced, or is on a damaged part of the disk. */
const lostCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EIO'])

class FilesystemOutputs implements OutputStore {
  readonly #folder: string
  readonly #unfinished: string
  readonly #isApart: boolean
  readonly #isHomeGone: () => Promise<boolean>
  readonly #clock: Clock
  readonly #shards = new Set<string>()

  constructor({ folder, unfinished, isApart, isHomeGone, clock }: Places & { readonly clock: Clock }) {
    this.#folder = folder
    this.#unfinished = unfinished
    this.#isApart = isApart
    this.#isHomeGone = isHomeGone
    this.#clock = clock
  }

  async put(name: OutputName, { contentType, chunks }: OutputContent, { signal }: Abortable): Promise<OutputReference> {
    signal.throwIfAborted()
    const key = `${name.inferenceId}.${name.attempt}`
    const path = this.#path(key)
    try {
      return { key, contentType, ...(await this.#store(path, chunks)) }
    } catch (error) {
      // The folder may be missing; the next output creates it again.
      this.#shards.clear()
      throw toWriteFault(error)
    }
  }

  async open(reference: OutputReference, { signal }: Abortable): Promise<AsyncIterable<Uint8Array>> {
    const path = this.#path(reference.key)
    const hash = createHash('sha256')
    let bytes = 0
    let only: Uint8Array | undefined
    try {
      for await (const piece of readPieces(path, { signal })) {
        hash.update(piece)
        only = bytes === 0 ? piece : undefined
        bytes += piece.length
      }
    } catch (cause) {
      signal.throwIfAborted()
      throw await this.#toReadFault(cause)
    }
    if (bytes !== reference.bytes || hash.digest('hex') !== reference.sha256) throw damagedOutput(reference.key)
    return only === undefined ? readPieces(path, { signal }) : once(only)
  }

  async readPart(
    reference: OutputReference,
    part: { readonly offset: number; readonly length: number },
    { signal }: Abortable,
  ): Promise<Uint8Array> {
    signal.throwIfAborted()
    return readSpan(this.#path(reference.key), part).catch(async (cause: unknown) => {
      throw await this.#toReadFault(cause)
    })
  }

  async delete(keys: readonly string[], { signal }: Abortable): Promise<void> {
    for (const key of keys) {
      signal.throwIfAborted()
      // Not synced: a file that reappears after a power failure is an orphan and is swept.
      await rm(this.#path(key), { force: true })
    }
  }

  async *listOld({ olderThan }: { readonly olderThan: number }, { signal }: Abortable): AsyncGenerator<StoredOutput> {
    // At a start soon after a crash, files left by the crash are too young to be removed.
    await removeAbandoned(this.#unfinished, Math.min(olderThan, this.#clock.now() - abandonedAfterMs))
    for (const shard of await listFolder(this.#folder)) {
      if (shard.length !== 2) continue
      for (const name of await listFolder(join(this.#folder, shard))) {
        signal.throwIfAborted()
        const found = await stat(join(this.#folder, shard, name)).catch(() => null)
        if (found !== null && found.mtimeMs < olderThan && isKey(name)) yield { key: name, inferenceId: readId(name) }
      }
    }
  }

  async #store(path: string, chunks: Iterable<Uint8Array>): Promise<{ readonly bytes: number; readonly sha256: string }> {
    const shard = dirname(path)
    await this.#openShard(shard)
    const temporary = join(this.#unfinished, randomUUID())
    try {
      const written = await writeDurably(temporary, chunks, { modifiedAt: this.#clock.now() })
      await rename(temporary, path)
      await syncFolder(shard)
      return written
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
  }

  async #openShard(shard: string): Promise<void> {
    if (this.#shards.has(shard)) return
    // If the data folder is missing, a new folder in its place would hide these outputs when it returns.
    if (await this.#isHomeGone()) throw unwritable(new Error(`${this.#folder} is no longer the folder that the service started with.`))
    await makeMissing(this.#folder)
    if (await this.#isUnmounted()) throw unwritable(new Error(`The disk of ${this.#folder} is not mounted; mount it again.`))
    for (const path of [this.#unfinished, shard]) await makeMissing(path)
    await syncFolder(this.#folder)
    this.#shards.add(shard)
  }

  /** Whether its own disk is missing. */
  async #isUnmounted(): Promise<boolean> {
    return this.#isApart && !(await isApart(this.#folder))
  }

  /** Callers give up an output that is lost, but not one whose folder is missing for a while, or that this process may not open now. */
  async #toReadFault(cause: unknown): Promise<ServiceError> {
    const { code }: NodeJS.ErrnoException = Object(cause)
    const isLost = code === undefined || lostCodes.has(code)
    const isFolderGone = (await this.#isHomeGone()) || (await this.#isUnmounted().catch(() => true))
    return isLost && !isFolderGone ? unreadableOutput(cause) : outputsUnreadable(cause)
  }

  #path(key: string): string {
    // Keys are built from ids generated by the queue; anything else must not become part of a path.
    if (!isKey(key)) throw new ServiceError('internal_error', "The output's key is not valid.")
    return join(this.#folder, key.slice(0, 2), key)
  }
}

/** Whether a folder is on another disk than its parent. */
async function isApart(folder: string): Promise<boolean> {
  const [own, above] = await Promise.all([folder, dirname(folder)].map((path) => stat(path)))
  return own?.dev !== above?.dev
}

function unfinishedIn(folder: string): string {
  return join(folder, 'unfinished')
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/** Removes files that a process was writing when it died. */
async function removeAbandoned(unfinished: string, before: number): Promise<void> {
  for (const name of await listFolder(unfinished)) {
    const found = await stat(join(unfinished, name)).catch(() => null)
    if (found !== null && found.mtimeMs < before) await rm(join(unfinished, name), { force: true })
  }
}

/** Creates one folder, but no parent folders. */
async function makeMissing(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
}

function isKey(text: string): boolean {
  return /^[\w-]{4,64}\.\d{1,10}$/.test(text)
}

function readId(fileName: string): string {
  return fileName.slice(0, fileName.lastIndexOf('.'))
}

async function listFolder(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
}
