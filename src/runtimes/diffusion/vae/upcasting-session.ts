import { OnDemand } from '../../../core/waiting.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { NumericTensor, NumericValues } from '../onnx/tensor.ts'

interface VaeRun {
  readonly dims: readonly number[]
  readonly output: string
  /** Called when this run left the range of half precision. */
  readonly onUpcast: () => void
}

/**
 * Half of a VAE. Inputs whose numbers leave the range of half precision run once more in single precision. Each input begins in half
 * precision, so that a picture does not depend on those before it; none does if the model's configuration says that they overflow.
 */
export class UpcastingSession implements AsyncDisposable {
  readonly session: OnnxSession
  readonly #always: boolean
  /** The same in single precision; null in it = there is none. */
  readonly #wide: OnDemand<OnnxSession | null>

  /**
   * @param upcast Opens the same in single precision; null where it is in that already.
   * @param always Whether no input begins in half precision.
   */
  constructor(session: OnnxSession, upcast: () => Promise<OnnxSession | null> = async () => null, always = false) {
    this.session = session
    this.#wide = new OnDemand(upcast)
    this.#always = always
  }

  /** Runs it on one input. */
  async run(input: string, values: NumericValues, { dims, output, onUpcast }: VaeRun): Promise<NumericTensor> {
    const runIn = async (session: OnnxSession) => (await session.run({ [input]: session.tensor(input, values, dims) }, [output]))[0]
    const found = this.#always ? null : await runIn(this.session)
    if (found?.values.every(Number.isFinite)) return found
    const wide = await this.#wide.get()
    if (wide === null) return found ?? runIn(this.session)
    if (found !== null) onUpcast()
    return runIn(wide)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#wide.opened())?.[Symbol.asyncDispose]()
  }
}
