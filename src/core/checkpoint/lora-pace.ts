import type { Sampler } from '../sampler.ts'

/** Steps, guidance and sampler for a model with a few-step LoRA. */
export interface LoraPace {
  readonly steps: number
  readonly guidanceScale: number
  readonly sampler: Sampler
  /** null = the model's own spacing. */
  readonly timestepSpacing: 'trailing' | null
}

interface KnownPace {
  /** Matched against names and notes in lower case. */
  readonly pattern: RegExp
  readonly pace: LoraPace
}

const few = { steps: 4, guidanceScale: 1 } as const

/** Values recommended by the model cards of few-step LoRAs; the first match applies. */
const known: readonly KnownPace[] = [
  // huggingface.co/ByteDance/Hyper-SD: those with CFG in their name keep guidance, from 5 to 8.
  { pattern: /hyper-?_?sd.*cfg/u, pace: { steps: 8, guidanceScale: 5, sampler: 'DDIM', timestepSpacing: 'trailing' } },
  { pattern: /hyper-?_?sd/u, pace: { ...few, sampler: 'DDIM', timestepSpacing: 'trailing' } },
  // huggingface.co/ByteDance/SDXL-Lightning
  { pattern: /sd-?_?xl[-_ ]?lightning|lightning[-_ ]?\d+[-_ ]?steps?/u, pace: { ...few, sampler: 'K_EULER', timestepSpacing: 'trailing' } },
  // huggingface.co/stabilityai/sdxl-turbo, whose difference from the base model such LoRAs hold
  { pattern: /sd_?-?(?:xl)?[-_ ]?turbo|turbo[-_ ]?lora/u, pace: { ...few, sampler: 'K_EULER_ANCESTRAL', timestepSpacing: 'trailing' } },
  // huggingface.co/tianweiy/DMD2 and huggingface.co/latent-consistency/lcm-lora-sdxl
  { pattern: /(?:^|[^a-z])(?:dmd2|lcm)(?:[^a-z]|$)/u, pace: { ...few, sampler: 'LCM', timestepSpacing: null } },
]

/** Metadata keys under which trainers and converters store a LoRA's name. */
const titles = ['modelspec.title', 'ss_output_name']

/**
 * Recognizes a few-step LoRA by its name and metadata and returns its steps, guidance and sampler; null = an ordinary LoRA. A number of
 * steps in the name (`8steps`) takes precedence.
 */
export function readLoraPace(name: string, metadata: ReadonlyMap<string, string>): LoraPace | null {
  for (const text of [name, ...titles.map((title) => metadata.get(title) ?? '')]) {
    const plain = text.toLowerCase()
    const pace = known.find(({ pattern }) => pattern.test(plain))?.pace
    if (pace === undefined) continue
    const steps = Number(/(?:^|\D)(\d{1,2})[-_ ]?steps?(?![a-z])/u.exec(plain)?.[1] ?? pace.steps)
    return { ...pace, steps: Math.max(1, steps) }
  }
  return null
}
