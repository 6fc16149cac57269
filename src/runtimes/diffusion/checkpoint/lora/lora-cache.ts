import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { unusableModel } from '../../onnx/model-file.ts'
import type { LoraTarget } from './lora-modules.ts'
import { type Lora, readLora } from './read-lora.ts'

/** Bytes of LoRAs that stay in memory between requests: some ten of usual size. */
const budgetBytes = 512 * 1024 * 1024

/** LoRAs that were used last, read once as long as their file stays the same; the oldest leave when the budget is full. */
export class LoraCache {
  readonly #targets: ReadonlyMap<string, LoraTarget>
  readonly #budgetBytes: number
  /** Least recently used first. */
  readonly #loras = new Map<string, Lora>()

  constructor(targets: ReadonlyMap<string, LoraTarget>, budget: number = budgetBytes) {
    this.#targets = targets
    this.#budgetBytes = budget
  }

  /** Bytes held now. */
  get bytes(): number {
    return [...this.#loras.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  async get(path: string, options: { readonly signal: AbortSignal }): Promise<Lora> {
    const { ino, size, mtimeMs } = await stat(path).catch((error: unknown) => {
      throw unusableModel(basename(path), 'is missing or cannot be read', error)
    })
    const key = JSON.stringify([path, ino, size, mtimeMs])
    const lora = this.#loras.get(key) ?? (await readLora(path, this.#targets, options))
    this.#loras.delete(key)
    this.#loras.set(key, lora)
    for (const [oldest] of this.#loras) {
      if (this.bytes <= this.#budgetBytes || oldest === key) break
      this.#loras.delete(oldest)
    }
    return lora
  }
}
