import type { AssetDescriptor } from '../assets/asset.ts'
import type { ComputeDevice } from '../compute-device.ts'
import type { EnlargementRequest, ImageProgress, ImageRequest, ImageResult } from '../image-generation.ts'
import type { UpscalerFacts } from '../model.ts'

/** A loaded image model. */
export interface ImageModel {
  /** Its device; absent = unknown. */
  readonly device?: ComputeDevice | undefined
  /**
   * Draws all images of the request; aborting takes effect before the next denoising step.
   *
   * @throws {ServiceError} `unsupported` naming the unsupported field, `validation_error` for an undecodable image, `numerical_error` for
   * NaN or Inf, `inference_failed` when the engine fails.
   */
  generate(
    request: ImageRequest,
    options: {
      readonly signal: AbortSignal
      readonly onProgress: (progress: ImageProgress) => void
      /** The request's assets, if already looked up. */
      readonly assets?: readonly AssetDescriptor[]
      /** The upscaler between two passes, if the request names one; absent = not available. */
      readonly upscaler?: UpscalerFacts | null
    },
  ): Promise<ImageResult>
  /**
   * Enlarges a picture; absent if the model draws.
   *
   * @throws {ServiceError} as {@link generate}.
   */
  readonly enlarge?:
    | ((
        request: EnlargementRequest,
        options: { readonly signal: AbortSignal; readonly onProgress: (progress: ImageProgress) => void },
      ) => Promise<ImageResult>)
    | undefined
}
