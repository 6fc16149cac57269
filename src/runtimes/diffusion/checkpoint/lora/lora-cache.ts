import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { keepNewest } from '../../../../core/keep-newest.ts'
import type { Abortable } from '../../../../core/waiting.ts'
import { unusableModel } from '../../onnx/model-file.ts'
import type { LoraTargets } from './lora-modules.ts'
import { type Lora, readLora } from './read-lora.ts'

/** Bytes of LoRAs that stay in memory between requests: some ten of usual size. */
const budgetBytes = 512 * 1024 * 1024

/** Files whose checksums are remembered. */
const maxChecksums = 1024

/**
 * LoRAs that were used last, by the SHA-256 of their files: the same LoRA under several names is held once. The oldest leave when the
 * budget is full. A file is read through again for its checksum only when it changed.
 */
export class LoraCache {
  readonly #targets: LoraTargets
  readonly #budgetBytes: number
  /** Least recently used first. */
  readonly #loras = new Map<string, Lora>()
  /** By path and what changes with its contents; oldest first. */
  readonly #checksums = new Map<string, string>()

  constructor(targets: LoraTargets, budget: number = budgetBytes) {
    this.#targets = targets
    this.#budgetBytes = budget
  }

  /** Bytes held now. */
  get bytes(): number {
    return [...this.#loras.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  async get(path: string, options: Abortable): Promise<Lora> {
    const key = await this.#checksum(path, options)
    const lora = this.#loras.get(key) ?? (await readLora(path, this.#targets, options))
    this.#loras.delete(key)
    this.#loras.set(key, lora)
    for (const [oldest] of this.#loras) {
      if (this.bytes <= this.#budgetBytes || oldest === key) break
      this.#loras.delete(oldest)
    }
    return lora
  }

  async #checksum(path: string, { signal }: Abortable): Promise<string> {
    const unreadable = (error: unknown): never => {
      signal.throwIfAborted()
      throw unusableModel(basename(path), 'is missing or cannot be read', error)
    }
    const { ino, size, mtimeMs, ctimeMs } = await stat(path).catch(unreadable)
    const file = JSON.stringify([path, ino, size, mtimeMs, ctimeMs])
    const known = this.#checksums.get(file)
    if (known !== undefined) return known
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash, { signal }).catch(unreadable)
    const checksum = hash.digest('hex')
    keepNewest(this.#checksums, file, checksum, maxChecksums)
    return checksum
  }
}
