import type { FieldFault } from '../../../core/error.ts'
import { type LoraUse, largestLoraWeight, maxLoras, readLoraTags, type TaggedPrompt } from '../../../core/images/lora.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import type { ImageBody } from './image-fields.ts'

const positive = ['prompt', 'prompt_2'] as const
const negative = ['negative_prompt', 'negative_prompt_2'] as const

type PromptField = (typeof positive)[number] | (typeof negative)[number]
type PromptBody = Pick<ImageBody, PromptField | 'loras'>

/** The prompts of a body without tags, and every LoRA that it names. */
export interface ReadPrompts {
  readonly prompt: string
  /** The first prompt when absent or empty. */
  readonly prompt2: string
  /** Those of the field `loras`, then those of the prompts' tags. */
  readonly loras: readonly LoraUse[]
  readonly tagged: Readonly<Record<PromptField, TaggedPrompt>>
}

const nothing: TaggedPrompt = { text: '', loras: [], unreadable: [], foreign: [] }

/** Reads the tags of a body's prompts, each once. */
export function readPrompts(body: PromptBody): ReadPrompts {
  const read = (field: PromptField) => (body[field] ? readLoraTags(body[field]) : nothing)
  const [prompt, prompt_2] = [read('prompt'), read('prompt_2')]
  const named = Object.entries(body.loras ?? {}).map(([name, weight]) => ({ name, weight }))
  return {
    prompt: prompt.text,
    prompt2: prompt_2.text || prompt.text,
    loras: [...named, ...prompt.loras, ...prompt_2.loras],
    tagged: { prompt, prompt_2, negative_prompt: read('negative_prompt'), negative_prompt_2: read('negative_prompt_2') },
  }
}

/** Finds LoRAs of a request that cannot be read, or not be applied by the model. */
export function findLoraFaults(
  model: ImageModelDescriptor,
  named: ImageBody['loras'],
  { tagged }: Pick<ReadPrompts, 'tagged'>,
): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (field: string, text: string, kind = 'range') => faults.push(fieldFault(field, text, kind))
  for (const field of negative) {
    const { loras, unreadable } = tagged[field]
    if (loras.length + unreadable.length > 0) add(field, 'may not contain <lora:…> tags: move them to `prompt`.')
  }
  const seen = new Set(Object.keys(named ?? {}))
  for (const field of positive) {
    const { loras, unreadable, foreign } = tagged[field]
    const [wrong] = unreadable
    if (wrong !== undefined) add(field, `has the tag ${shortName(wrong)}: write <lora:name:0.8>.`)
    const [unknown] = foreign
    // A remote server may support further tags.
    if (unknown !== undefined && model.upstream === undefined)
      add(field, `has the tag ${shortName(unknown)}, which Sepia cannot apply: remove it; <lora:name:0.8> names a LoRA.`, 'unsupported')
    for (const { name, weight, textWeight = weight } of loras) {
      const most = [weight, textWeight].find((each) => Math.abs(each) > largestLoraWeight)
      if (most !== undefined) add(field, `gives the LoRA ${name} the weight ${most}: use −${largestLoraWeight} to ${largestLoraWeight}.`)
      if (textWeight !== weight && model.upstream !== undefined && model.format !== 'a1111')
        add(field, `gives the LoRA ${name} two weights, and ${model.id} takes one: write <lora:${name}:${weight}>.`, 'unsupported')
      if (seen.has(name)) add(field, `names the LoRA ${name} twice: name it once.`)
      seen.add(name)
    }
    if (loras.length > 0 && !takesLoras(model))
      add(field, `has a <lora:…> tag, and ${model.id} cannot apply LoRAs: remove it.`, 'unsupported')
  }
  if (seen.size > maxLoras) add('loras', `may mix at most ${maxLoras} LoRAs, those in the prompt included, not ${seen.size}.`)
  if (Object.keys(named ?? {}).length > 0 && !takesLoras(model))
    add('loras', `must be left out: ${model.id} cannot apply LoRAs.`, 'unsupported')
  return faults
}

/** An exported graph has no place to add a LoRA to; nor has a custom workflow or OpenAI's interface. */
const formatsWithoutLoras: readonly ImageModelDescriptor['format'][] = ['onnx-sdxl', 'comfyui', 'openai-images']

function takesLoras(model: ImageModelDescriptor): boolean {
  return !formatsWithoutLoras.includes(model.format)
}
