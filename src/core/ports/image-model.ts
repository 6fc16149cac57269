import type { AssetDescriptor } from '../assets/asset.ts'
import type { ComputeDevice } from '../compute-device.ts'
import type { EnlargementRequest, ImageProgress, ImageRequest, ImageResult } from '../image-generation.ts'
import type { UpscalerFacts } from '../model.ts'

/** A loaded image model. */
export interface ImageModel {
  /** What it computes on; absent where the runtime cannot tell. */
  readonly device?: ComputeDevice | undefined
  /**
   * Draws every image of the request; aborting stops before the next denoising step.
   *
   * @throws {ServiceError} `unsupported` naming the field the model cannot honour, `validation_error` for an image
   *   that does not decode, `numerical_error` for NaN or Inf, `inference_failed` when the engine breaks.
   */
  generate(
    request: ImageRequest,
    options: {
      readonly signal: AbortSignal
      readonly onProgress: (progress: ImageProgress) => void
      /** The assets that the request names, where they were looked up already. */
      readonly assets?: readonly AssetDescriptor[]
      /** What enlarges between two passes, where the request names it; absent = it is not there. */
      readonly upscaler?: UpscalerFacts | null
    },
  ): Promise<ImageResult>
  /**
   * Makes a picture larger; absent where the model draws.
   *
   * @throws {ServiceError} as {@link generate} does.
   */
  enlarge?(
    request: EnlargementRequest,
    options: { readonly signal: AbortSignal; readonly onProgress: (progress: ImageProgress) => void },
  ): Promise<ImageResult>
}
