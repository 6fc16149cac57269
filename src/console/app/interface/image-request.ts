/** The body of `POST /generate/sdxl`, as the public interface spells it. */
export interface ImageRequestBody {
  readonly checkpoint?: string
  readonly prompt: string
  readonly negative_prompt?: string
  readonly width: number
  readonly height: number
  readonly steps: number
  readonly cfg_scale: number
  readonly sampler: string
  readonly num_images?: number
  readonly seed?: number | readonly number[]
  readonly style_preset?: string
  readonly image_encoding?: 'jpeg' | 'png' | 'webp'
  readonly init_image?: string
  readonly strength?: number
  readonly mask_image?: string
  readonly clip_skip?: number
}
