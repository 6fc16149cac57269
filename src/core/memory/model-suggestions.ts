/** A model that is worth beginning with on a machine of some size. */
export interface ModelSuggestion {
  readonly kind: 'text' | 'image'
  /** As a pull takes it. */
  readonly source: string
  /** Of the download. */
  readonly bytes: number
  /** Memory that it takes on the processor, with the usual settings. */
  readonly memoryBytes: number
  /** As its page on the hub says. */
  readonly license: string
}

const giga = 1e9
const qwen = 'hf:Qwen/Qwen2.5-'

/** What to begin with, the smallest first. */
export const modelSuggestions: readonly ModelSuggestion[] = [
  { kind: 'text', source: `${qwen}1.5B-Instruct-GGUF`, bytes: 1.1 * giga, memoryBytes: 2.5 * giga, license: 'apache-2.0' },
  { kind: 'text', source: `${qwen}7B-Instruct-GGUF`, bytes: 4.7 * giga, memoryBytes: 8 * giga, license: 'apache-2.0' },
  { kind: 'text', source: `${qwen}14B-Instruct-GGUF`, bytes: 9 * giga, memoryBytes: 16 * giga, license: 'apache-2.0' },
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
  },
  {
    kind: 'image',
    source: 'hf:stabilityai/stable-diffusion-xl-base-1.0:sd_xl_base_1.0.safetensors',
    bytes: 6.9 * giga,
    memoryBytes: 12 * giga,
    license: 'openrail++',
  },
]
