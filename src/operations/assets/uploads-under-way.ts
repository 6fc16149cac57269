import { ServiceError } from '../../core/error.ts'

/** Running uploads, so that no two write the same file and an account's uploads together stay within its quota. */
export class UploadsUnderWay {
  readonly #bytes = new Map<string, { readonly accountId: string; bytes: number }>()

  /**
   * Registers an upload; the caller updates its size and disposes of it at the end.
   *
   * @throws {ServiceError} `concurrency_limit_exceeded` if the asset is already being uploaded.
   */
  begin({ id, accountId }: { readonly id: string; readonly accountId: string }): Disposable & { grow(bytes: number): void } {
    if (this.#bytes.has(id))
      throw new ServiceError('concurrency_limit_exceeded', 'This asset is already being uploaded; wait until that upload ends.')
    const upload = { accountId, bytes: 0 }
    this.#bytes.set(id, upload)
    return {
      grow: (bytes) => {
        upload.bytes = bytes
      },
      [Symbol.dispose]: () => void this.#bytes.delete(id),
    }
  }

  /** Bytes of an account's other running uploads. */
  bytesBeside(accountId: string, id: string): number {
    let sum = 0
    for (const [other, upload] of this.#bytes) if (other !== id && upload.accountId === accountId) sum += upload.bytes
    return sum
  }

  has(id: string): boolean {
    return this.#bytes.has(id)
  }
}
