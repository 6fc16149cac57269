import { componentNames, type ModelFiles } from '../../../src/core/checkpoint/model-files.ts'
import type { SkipLayerGuidance } from '../../../src/core/image-generation.ts'
import { isRecord } from '../../../src/core/json-value.ts'
import { type Sampler, samplers } from '../../../src/core/sampler.ts'
import type { JsonRecord } from '../../../src/runtimes/diffusion/onnx/model-file.ts'
import type { GuidanceBounds } from '../../../src/runtimes/diffusion/unet/guided-unet.ts'

/** A recorded run of diffusers: the request, and the resulting latents and picture. */
export interface ReferenceCase {
  readonly name: string
  /** Name of the model's file or folder. */
  readonly model: string
  /** The kind of model, for the table; null = unknown. */
  readonly family: string | null
  readonly sampler: Sampler
  /** Options of the scheduler that differ from the model's, in diffusers' words. */
  readonly schedulerOptions: JsonRecord
  readonly steps: number
  readonly prompt: string
  readonly prompt2: string | null
  readonly negativePrompt: string | null
  readonly negativePrompt2: string | null
  readonly seed: number
  readonly guidanceScale: number
  /** The scale that the network is given, beside guidance outside it; null = it takes the guidance scale, or none. */
  readonly embeddedGuidance: number | null
  /** Bounds of guidance, if recorded. */
  readonly bounds: GuidanceBounds | null
  /** Maximum tokens of texts, if recorded. */
  readonly maxTokens: number | null
  readonly prompt3: string | null
  readonly negativePrompt3: string | null
  /** Files that the model needs besides its own, by what they are. */
  readonly files: ModelFiles
  readonly width: number
  readonly height: number
  readonly clipSkip: number | null
  /** A refiner's file, and the share of the noise range that the base model handles. */
  readonly refiner: { readonly model: string; readonly start: number } | null
  readonly loras: readonly { readonly file: string; readonly weight: number }[]
  readonly textualInversions: readonly { readonly file: string; readonly trigger: string }[]
  readonly controlnet: { readonly file: string; readonly png: Uint8Array; readonly scale: number } | null
  /** File of a VAE that stands in for the model's own. */
  readonly vae: string | null
  readonly skipLayers: SkipLayerGuidance | null
  /** Pictures that the model sees beside its drawing. */
  readonly referencePngs: readonly Uint8Array[]
  readonly initial: { readonly png: Uint8Array; readonly strength: number; readonly maskPng: Uint8Array | null } | null
  /** Before division by the VAE's scaling factor. */
  readonly latents: Float32Array
  readonly png: Uint8Array
}

/** A file of reference cases. */
export interface ReferenceFile {
  /** Cases that could be read; the others with the reason they could not. */
  readonly cases: readonly ReferenceCase[]
  readonly unreadable: readonly { readonly name: string; readonly reason: string }[]
}

/** Reads the format of `test/fixtures/golden/parity.json`. */
export function parseReferenceFile(value: unknown): ReferenceFile {
  const root = record(value, 'the file')
  const model = text(root, 'model')
  const entries = root.cases
  if (!Array.isArray(entries)) throw new Error('the file has no list "cases"')
  const cases: ReferenceCase[] = []
  const unreadable: { name: string; reason: string }[] = []
  for (const [i, entry] of entries.entries()) {
    try {
      cases.push(parseCase({ model, ...record(entry, `case ${i + 1}`) }, `case ${i + 1}`))
    } catch (error) {
      unreadable.push({ name: nameOf(entry) ?? `case ${i + 1}`, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { cases, unreadable }
}

function parseCase(json: JsonRecord, fallbackName: string): ReferenceCase {
  const sampler = samplers.find((name) => name === json.sampler)
  if (sampler === undefined) throw new Error(`"sampler" is ${JSON.stringify(json.sampler)}, which is not one of ours`)
  const initial = optionalText(json, 'init_png')
  const mask = optionalText(json, 'mask_png')
  const latentBytes = bytes(text(json, 'latents_f32'))
  return {
    name: nameOf(json) ?? fallbackName,
    model: text(json, 'model'),
    family: optionalText(json, 'family'),
    sampler,
    schedulerOptions: record(json.config ?? {}, '"config"'),
    steps: number(json, 'steps'),
    prompt: text(json, 'prompt'),
    prompt2: optionalText(json, 'prompt_2'),
    negativePrompt: optionalText(json, 'negative_prompt'),
    negativePrompt2: optionalText(json, 'negative_prompt_2'),
    seed: number(json, 'seed'),
    skipLayers: readSkipLayers(json),
    // diffusers applies no guidance to distilled models, whatever is requested.
    guidanceScale: json.is_distilled === true ? 1 : number(json, 'cfg_scale'),
    referencePngs: Array.isArray(json.reference_pngs) ? json.reference_pngs.map((png) => bytes(String(png))) : [],
    embeddedGuidance: optionalNumber(json, 'guidance_scale'),
    bounds: readBounds(json),
    maxTokens: optionalNumber(json, 'max_sequence_length'),
    prompt3: optionalText(json, 'prompt_3'),
    negativePrompt3: optionalText(json, 'negative_prompt_3'),
    files: readFiles(json),
    width: number(json, 'width'),
    height: number(json, 'height'),
    clipSkip: optionalNumber(json, 'clip_skip'),
    refiner: optionalText(json, 'refiner') === null ? null : { model: text(json, 'refiner'), start: number(json, 'high_noise_frac') },
    loras: Object.entries(record(json.loras ?? {}, '"loras"')).map(([file, weight]) => ({ file, weight: Number(weight) })),
    textualInversions: Object.entries(record(json.textual_inversions ?? {}, '"textual_inversions"')).map(([file, trigger]) => ({
      file,
      trigger: String(trigger),
    })),
    controlnet:
      optionalText(json, 'controlnet') === null
        ? null
        : { file: text(json, 'controlnet'), png: bytes(text(json, 'control_png')), scale: number(json, 'controlnet_conditioning_scale') },
    vae: optionalText(json, 'vae'),
    initial:
      initial === null ? null : { png: bytes(initial), strength: number(json, 'strength'), maskPng: mask === null ? null : bytes(mask) },
    latents: new Float32Array(latentBytes.buffer.slice(latentBytes.byteOffset, latentBytes.byteOffset + latentBytes.byteLength)),
    png: bytes(text(json, 'image_png')),
  }
}

function nameOf(entry: unknown): string | null {
  return typeof entry === 'object' && entry !== null && 'name' in entry && typeof entry.name === 'string' ? entry.name : null
}

function record(value: unknown, what: string): JsonRecord {
  if (!isRecord(value)) throw new Error(`${what} is not a JSON object`)
  return value
}

function text(json: JsonRecord, key: string): string {
  const value = json[key]
  if (typeof value !== 'string') throw new Error(`"${key}" is not a text`)
  return value
}

function optionalText(json: JsonRecord, key: string): string | null {
  return json[key] === null || json[key] === undefined ? null : text(json, key)
}

function number(json: JsonRecord, key: string): number {
  const value = json[key]
  if (typeof value !== 'number') throw new Error(`"${key}" is not a number`)
  return value
}

function optionalNumber(json: JsonRecord, key: string): number | null {
  return json[key] === null || json[key] === undefined ? null : number(json, key)
}

function readBounds(json: JsonRecord): GuidanceBounds | null {
  const until = optionalNumber(json, 'cfg_truncation')
  return until === null ? null : { until, normalized: json.cfg_normalization === true }
}

function readSkipLayers(json: JsonRecord): SkipLayerGuidance | null {
  const layers = json.skip_guidance_layers
  if (!Array.isArray(layers)) return null
  const named = (name: string) => number(json, `skip_layer_guidance_${name}`)
  return { layers: layers.map(Number), scale: named('scale'), start: named('start'), stop: named('stop') }
}

function readFiles(json: JsonRecord): ModelFiles {
  const files = record(json.files ?? {}, '"files"')
  return Object.fromEntries(componentNames.flatMap((name) => (typeof files[name] === 'string' ? [[name, files[name]]] : [])))
}

function bytes(base64: string): Uint8Array {
  return Uint8Array.from(Buffer.from(base64, 'base64'))
}
