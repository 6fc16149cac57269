import type { ControlnetUse } from './images/controlnet.ts'
import type { LoraUse } from './images/lora.ts'
import type { Sampler } from './sampler.ts'

/** Supported image file formats. */
export const imageEncodings = ['jpeg', 'png', 'webp'] as const
export type ImageEncoding = (typeof imageEncodings)[number]

/** Maximum number of denoising steps per image. */
export const maxSteps = 200
/** Maximum number of text encoder layers to skip. */
export const maxClipSkip = 12

/** Default quality of JPEG and WebP, 1 to 100. */
export const defaultEncodingQuality = 95

/**
 * One image request with every default filled in, so that the meaning of a stored request survives an upgrade. Lengths are in pixels;
 * images are encoded files (PNG, JPEG or WebP bytes).
 */
export interface ImageRequest {
  readonly model: string
  /** Prompt of the first text encoder; may hold weights such as `(word:1.3)`, but no LoRA tags. */
  readonly prompt: string
  /** Prompt of the second text encoder. */
  readonly prompt2: string
  /** Negative prompt of each text encoder; null = the model's unconditional input. */
  readonly negative: { readonly prompt: string; readonly prompt2: string } | null
  readonly width: number
  readonly height: number
  /** Denoising steps, 1 to {@link maxSteps}. */
  readonly steps: number
  /** Guidance scale, over 0 and up to 50; 1 = no guidance. */
  readonly guidanceScale: number
  /** Share by which the guided prediction is rescaled to the contrast of the unguided one, 0 to 1; 0 = off. */
  readonly guidanceRescale: number
  /** One seed per image, 0 to 2³²−1. */
  readonly seeds: readonly number[]
  readonly sampler: Sampler
  /** Timestep spacing required by a LoRA; absent = the model's own. */
  readonly timestepSpacing?: 'trailing'
  readonly encoding: ImageEncoding
  /** Quality of JPEG or WebP, 1 to 100; absent = {@link defaultEncodingQuality}. */
  readonly encodingQuality?: number
  /** Final text encoder layers to skip, counted as in diffusers, 0 to {@link maxClipSkip}; 0 = the model's default. */
  readonly clipSkip: number
  readonly stylePreset: string | null
  /** Up to eight, without duplicates. */
  readonly loras: readonly LoraUse[]
  /** Prompt words replaced by learned vectors; absent = none, as in requests of earlier versions. */
  readonly textualInversions?: readonly { readonly name: string; readonly trigger: string }[]
  /** A VAE in place of the model's own. */
  readonly vae?: string | null
  readonly controlnets?: readonly ControlnetUse[]
  /** Image-to-image; null = start from pure noise. */
  readonly initial: { readonly image: Uint8Array; readonly strength: number } | null
  /** Inpainting mask: white is repainted; requires `initial`. */
  readonly mask: {
    readonly image: Uint8Array
    readonly fullResolution: boolean
    readonly padding: number
    readonly outpainting: boolean
    /** Blur radius of the mask's edge, 0 to 64 pixels of the finished image. */
    readonly blur: number
  } | null
  /** Reference pictures, up to four; absent = none. */
  readonly references?: readonly Uint8Array[]
  /** Total pixels of the references after resizing. */
  readonly referencePixels?: number | undefined
  /** Skip-layer guidance as diffusers implements it for Stable Diffusion 3.5; absent = off. */
  readonly skipLayers?: SkipLayerGuidance
  /** Share of the noise range handled by the base model before the refiner takes over, 0 to 1; null = no refiner. */
  readonly refinerStart: number | null
  /** A second pass at `width` × `height`; absent = one pass. Excludes `initial`. */
  readonly highResolution?: HighResolution
  /** Whether progress events contain a small preview. */
  readonly previews: boolean
}

/** Guidance away from the network's prediction without some of its blocks. */
export interface SkipLayerGuidance {
  readonly layers: readonly number[]
  readonly scale: number
  /** First and last share of the steps in which it applies, 0 to 1. */
  readonly start: number
  readonly stop: number
}

/** Two-pass drawing: a small image is drawn, enlarged and redrawn, which avoids the faults of drawing above the model's native size. */
export interface HighResolution {
  /** Size of the first pass. */
  readonly first: { readonly width: number; readonly height: number }
  /** Denoising strength of the second pass, over 0 and up to 1. */
  readonly strength: number
  /** Denoising steps of the second pass, before its strength reduces them. */
  readonly steps: number
  /** The upscaler applied between the passes; null = the latents are enlarged instead. */
  readonly upscaler: string | null
}

/** A request to enlarge a picture with an upscaler. Lengths are in pixels of the result. */
export interface EnlargementRequest {
  readonly model: string
  /** An encoded file (PNG, JPEG or WebP bytes). */
  readonly image: Uint8Array
  readonly width: number
  readonly height: number
  readonly encoding: ImageEncoding
}

export interface GeneratedImage {
  readonly bytes: Uint8Array
  readonly encoding: ImageEncoding
  readonly width: number
  readonly height: number
  readonly seed: number
  readonly removedForSafety: boolean
  readonly safetyScore: number | null
}

export interface ImageResult {
  readonly images: readonly GeneratedImage[]
  /** Deviations from the model's settings, in sentences; absent = none. */
  readonly warnings?: readonly string[]
  /** Computing time, without waiting. */
  readonly computeMs: number
}

/** Denoising progress over all images of a request. */
export interface ImageProgress {
  readonly step: number
  readonly total: number
  /** A small JPEG of the current estimate, if requested. */
  readonly preview?: Uint8Array
}
