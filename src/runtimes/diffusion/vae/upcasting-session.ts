import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { NumericTensor, NumericValues } from '../onnx/tensor.ts'

/**
 * Half of a VAE. Where its numbers leave the range of half precision, as SDXL's do, it is opened once more in single precision,
 * and stays so.
 */
export class UpcastingSession implements AsyncDisposable {
  #session: OnnxSession
  #upcast: (() => Promise<OnnxSession | null>) | null
  #wide: OnnxSession | null = null

  /** @param upcast Opens the same in single precision; null, or an answer of null, where it is in that already. */
  constructor(session: OnnxSession, upcast: (() => Promise<OnnxSession | null>) | null = null) {
    this.#session = session
    this.#upcast = upcast
  }

  /** Whether it had to be opened in single precision. */
  get isUpcast(): boolean {
    return this.#wide !== null
  }

  get session(): OnnxSession {
    return this.#session
  }

  /** Runs it on one input. */
  async run(
    input: string,
    values: NumericValues,
    { dims, output }: { readonly dims: readonly number[]; readonly output: string },
  ): Promise<NumericTensor> {
    const run = async () => {
      const [found] = await this.#session.run({ [input]: this.#session.tensor(input, values, dims) }, [output])
      return found
    }
    const found = await run()
    if (this.#upcast === null || found.values.every(Number.isFinite)) return found
    const wide = await this.#upcast()
    this.#upcast = null
    if (wide === null) return found
    this.#wide = wide
    this.#session = wide
    return run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#wide?.[Symbol.asyncDispose]()
  }
}
