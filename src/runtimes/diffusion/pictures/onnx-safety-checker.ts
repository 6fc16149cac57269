import type { Tensor } from 'onnxruntime-node'
import { fileExists } from '../onnx/model-file.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { OpenSession } from '../unet/noise-predictor.ts'
import type { RgbImage } from './rgb-image.ts'

/** CLIP's input: side in pixels, mean and deviation of red, green and blue. */
const side = 224
const colours = [
  { mean: 0.48145466, deviation: 0.26862954 },
  { mean: 0.4578275, deviation: 0.26130258 },
  { mean: 0.40821073, deviation: 0.27577711 },
]

/**
 * A safety checker in the layout of Stable Diffusion's ONNX export: takes the picture at CLIP's size in `clip_input` (and unscaled in
 * `images`, if present) and returns `has_nsfw_concepts`.
 */
class OnnxSafetyChecker implements SafetyChecker {
  readonly #session: OnnxSession
  readonly #output: string

  constructor(session: OnnxSession) {
    session.input('clip_input')
    this.#session = session
    this.#output = session.output('has_nsfw_concepts')
  }

  async check(image: RgbImage): Promise<SafetyVerdict> {
    const { default: sharp } = await import('sharp')
    const small = await sharp(image.data, { raw: { width: image.width, height: image.height, channels: 3 } })
      .resize(side, side, { fit: 'cover', kernel: 'cubic' })
      .raw()
      .toBuffer()
    const count = side * side
    const clipInput = new Float32Array(3 * count)
    for (const [channel, { mean, deviation }] of colours.entries())
      clipInput.set(
        Array.from(
          small.filter((_, i) => i % 3 === channel),
          (value) => (value / 255 - mean) / deviation,
        ),
        channel * count,
      )
    const feeds: Record<string, Tensor> = { clip_input: this.#session.tensor('clip_input', clipInput, [1, 3, side, side]) }
    if (this.#session.inputs.has('images')) {
      const shares = Float32Array.from(image.data, (value) => value / 255)
      feeds.images = this.#session.tensor('images', shares, [1, image.height, image.width, 3])
    }
    const [flags] = await this.#session.run(feeds, [this.#output])
    const score = Math.max(0, ...flags.values)
    return { unsafe: score >= 0.5, score }
  }
}

/** Loads the checker in the model's folder (`safety_checker/model.onnx`), if any. */
export async function loadSafetyChecker(folder: string, open: OpenSession): Promise<SafetyChecker> {
  const file = 'safety_checker/model.onnx'
  return (await fileExists(folder, file)) ? new OnnxSafetyChecker(await open(file)) : safetyOff
}

export interface SafetyVerdict {
  readonly unsafe: boolean
  /** Unsafe score, 0 to 1; null = not checked. */
  readonly score: number | null
}

/** Judges finished pictures. */
export interface SafetyChecker {
  check(image: RgbImage): Promise<SafetyVerdict>
}

/** Lets every picture pass: the checker of a model that brings none. */
export const safetyOff: SafetyChecker = {
  check: async () => ({ unsafe: false, score: null }),
}
