import { ServiceError } from '../../core/error.ts'

interface Upload {
  readonly accountId: string
  /** Size of its file; null = nothing arrived yet. */
  bytes: number | null
  /** Sizes of the account's uploads that ended since this one began, by asset. */
  readonly ended: Map<string, number>
}

/** A registered upload; dispose of it at its end. */
export interface RegisteredUpload extends Disposable {
  /** Notes the size of its file. */
  grow(bytes: number): void
  /** Sizes of the account's other uploads that were running at any time since this one began, by asset. */
  sizesBeside(): ReadonlyMap<string, number>
}

/** Running uploads and checks, so that no two use the same file and an account's uploads together stay within its quota. */
export class UploadsUnderWay {
  readonly #running = new Map<string, Upload>()

  /**
   * Registers an upload, or the check of its file.
   *
   * @throws {ServiceError} `concurrency_limit_exceeded` if the asset is already being uploaded or checked.
   */
  begin({ id, accountId }: { readonly id: string; readonly accountId: string }): RegisteredUpload {
    if (this.#running.has(id))
      throw new ServiceError('concurrency_limit_exceeded', 'This asset is already being uploaded or checked; wait until that ends.')
    const upload: Upload = { accountId, bytes: null, ended: new Map() }
    this.#running.set(id, upload)
    return {
      grow: (bytes) => {
        upload.bytes = bytes
      },
      sizesBeside: () => {
        const sizes = new Map(upload.ended)
        for (const [other, { bytes }] of this.#beside(upload)) if (bytes !== null) sizes.set(other, bytes)
        return sizes
      },
      [Symbol.dispose]: () => {
        this.#running.delete(id)
        if (upload.bytes !== null) for (const [, { ended }] of this.#beside(upload)) ended.set(id, upload.bytes)
      },
    }
  }

  has(id: string): boolean {
    return this.#running.has(id)
  }

  #beside(upload: Upload): readonly (readonly [id: string, upload: Upload])[] {
    return [...this.#running].filter(([, other]) => other !== upload && other.accountId === upload.accountId)
  }
}
