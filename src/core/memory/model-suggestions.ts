/** A recommended first model for machines with enough memory. */
export interface ModelSuggestion {
  readonly kind: 'text' | 'image'
  /** Argument of `sepia model pull`. */
  readonly source: string
  /** Download size. */
  readonly bytes: number
  /** Memory on the processor with default settings. */
  readonly memoryBytes: number
  /** License according to its hub page. */
  readonly license: string
  /** Default number of steps. */
  readonly steps?: number
}

/** Whether a suggested model fits into the memory that models may use. */
export function fitsInto({ memoryBytes }: Pick<ModelSuggestion, 'memoryBytes'>, mostBytes: number): boolean {
  return memoryBytes <= mostBytes
}

const giga = 1e9
/** Recommended first models, smallest first. */
export const modelSuggestions: readonly ModelSuggestion[] = [
  { kind: 'text', source: 'hf:ggml-org/SmolLM3-3B-GGUF', bytes: 1.9 * giga, memoryBytes: 3 * giga, license: 'apache-2.0' },
  { kind: 'text', source: 'hf:Qwen/Qwen3-8B-GGUF', bytes: 5 * giga, memoryBytes: 8 * giga, license: 'apache-2.0' },
  { kind: 'text', source: 'hf:ggml-org/gemma-3-12b-it-GGUF', bytes: 7.3 * giga, memoryBytes: 10 * giga, license: 'gemma' },
  { kind: 'text', source: 'hf:Qwen/Qwen3-14B-GGUF', bytes: 9 * giga, memoryBytes: 14 * giga, license: 'apache-2.0' },
  {
    kind: 'image',
    source: 'hf:stable-diffusion-v1-5/stable-diffusion-v1-5:v1-5-pruned-emaonly.safetensors',
    bytes: 4.3 * giga,
    memoryBytes: 5 * giga,
    license: 'creativeml-openrail-m',
  },
  {
    kind: 'image',
    source: 'hf:ByteDance/SDXL-Lightning:sdxl_lightning_4step.safetensors',
    bytes: 6.9 * giga,
    memoryBytes: 9 * giga,
    license: 'openrail++',
    steps: 4,
  },
  {
    kind: 'image',
    source: 'hf:stabilityai/stable-diffusion-xl-base-1.0:sd_xl_base_1.0.safetensors',
    bytes: 6.9 * giga,
    memoryBytes: 12 * giga,
    license: 'openrail++',
    steps: 30,
  },
  // Folders in diffusers' layout at 16 bits; the memory assumes that components are loaded in turn.
  {
    kind: 'image',
    source: 'hf:black-forest-labs/FLUX.2-klein-4B',
    bytes: 16 * giga,
    memoryBytes: 10 * giga,
    license: 'apache-2.0',
    steps: 4,
  },
  {
    kind: 'image',
    source: 'hf:stabilityai/stable-diffusion-3.5-medium',
    bytes: 16.3 * giga,
    memoryBytes: 11.5 * giga,
    license: 'stabilityai-ai-community',
    steps: 28,
  },
  {
    kind: 'image',
    source: 'hf:Tongyi-MAI/Z-Image-Turbo',
    bytes: 20.5 * giga,
    memoryBytes: 15 * giga,
    license: 'apache-2.0',
    steps: 8,
  },
  {
    kind: 'image',
    source: 'hf:black-forest-labs/FLUX.1-schnell',
    bytes: 34 * giga,
    memoryBytes: 26 * giga,
    license: 'apache-2.0',
    steps: 4,
  },
]
