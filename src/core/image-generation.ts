import type { ControlnetUse } from './images/controlnet.ts'
import type { LoraUse } from './images/lora.ts'
import type { Sampler } from './sampler.ts'

/** The file formats an image may come in. */
export const imageEncodings = ['jpeg', 'png', 'webp'] as const
export type ImageEncoding = (typeof imageEncodings)[number]

/** Denoising steps of one drawing at most. */
export const mostSteps = 200
/** Layers of the text encoders that may be skipped at most. */
export const mostClipSkip = 12

/** Of JPEG and WebP, out of 100. */
export const defaultEncodingQuality = 95

/**
 * One image request with every default filled in, so that a stored request means the same after an upgrade.
 * Lengths are in pixels; images are encoded files (PNG, JPEG or WebP bytes).
 */
export interface ImageRequest {
  readonly model: string
  /** For the first text encoder; weights stand in it as `(word:1.3)`, LoRAs do not. */
  readonly prompt: string
  /** For the second text encoder. */
  readonly prompt2: string
  /** What the image should not show, for each text encoder; null = unconditional as the model defines it. */
  readonly negative: { readonly prompt: string; readonly prompt2: string } | null
  readonly width: number
  readonly height: number
  /** Denoising steps, 1 to {@link mostSteps}. */
  readonly steps: number
  /** Guidance scale, over 0 and up to 50; 1 = no guidance. */
  readonly guidanceScale: number
  /** How far the guided prediction is scaled back to the contrast of the unguided one, 0 to 1; 0 = not at all. */
  readonly guidanceRescale: number
  /** One seed per image, 0 to 2³²−1. */
  readonly seeds: readonly number[]
  readonly sampler: Sampler
  /** How timesteps are spaced where a LoRA wants it; absent = as the model has it. */
  readonly timestepSpacing?: 'trailing'
  readonly encoding: ImageEncoding
  /** How much of a JPEG or WebP is kept, 1 to 100; absent = {@link defaultEncodingQuality}. */
  readonly encodingQuality?: number
  /** Layers of the text encoders to skip at the end, as diffusers counts them, 0 to {@link mostClipSkip}; 0 = the model's own reading. */
  readonly clipSkip: number
  readonly stylePreset: string | null
  /** At most eight, each name once. */
  readonly loras: readonly LoraUse[]
  /** Words in the prompts that vectors stand for; absent = none, as in requests of earlier versions. */
  readonly textualInversions?: readonly { readonly name: string; readonly trigger: string }[]
  /** A VAE in place of the model's own. */
  readonly vae?: string | null
  readonly controlnets?: readonly ControlnetUse[]
  /** Image-to-image; null = from pure noise. */
  readonly initial: { readonly image: Uint8Array; readonly strength: number } | null
  /** Inpainting: white is repainted; only with `initial`. */
  readonly mask: {
    readonly image: Uint8Array
    readonly fullResolution: boolean
    readonly padding: number
    readonly outpainting: boolean
    /** How far the mask's edge is softened, 0 to 64 pixels of the finished picture. */
    readonly blur: number
  } | null
  /** Pictures that the model sees beside its drawing, at most four; absent = none. */
  readonly references?: readonly Uint8Array[]
  /** A third prediction without some of the network's blocks, as diffusers has it for Stable Diffusion 3.5; absent = none. */
  readonly skipLayers?: SkipLayerGuidance
  /** null = no refiner; else the fraction of the noise range the base model handles, 0 to 1. */
  readonly refinerStart: number | null
  /** A second pass over the drawing, made as large as `width` × `height`; absent = one pass. Never with `initial`. */
  readonly highResolution?: HighResolution
  /** Whether progress events carry a small preview. */
  readonly previews: boolean
}

/** Guidance away from what a network predicts without some of its blocks. */
export interface SkipLayerGuidance {
  readonly layers: readonly number[]
  readonly scale: number
  /** Shares of the steps between which it counts. */
  readonly start: number
  readonly stop: number
}

/** Drawing in two passes: small first, then enlarged and drawn over, so that what a model knows at its own size stays whole. */
export interface HighResolution {
  /** Size of the first pass. */
  readonly first: { readonly width: number; readonly height: number }
  /** How much the second pass may change, over 0 and up to 1. */
  readonly strength: number
  /** Denoising steps of the second pass before its strength counts. */
  readonly steps: number
  /** The upscaler that enlarges the picture of the first pass; null = its latents are enlarged. */
  readonly upscaler: string | null
}

/** A picture to be made larger by a model that does nothing else. Lengths are in pixels of the result. */
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
  /** What was done otherwise than the model says, in sentences; absent = nothing. */
  readonly warnings?: readonly string[]
  /** Time spent computing, without waiting. */
  readonly computeMs: number
}

/** Denoising progress over all images of a request. */
export interface ImageProgress {
  readonly step: number
  readonly total: number
  /** A small JPEG of the current estimate, when asked for. */
  readonly preview?: Uint8Array
}
