import type { FieldFault } from '../../../core/error.ts'
import { type LoraUse, largestLoraWeight, mostLoras, readLoraTags } from '../../../core/images/lora.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import type { ImageBody } from './image-fields.ts'

interface ReadLoras {
  readonly prompt: string
  readonly prompt2: string
  /** Those of the field `loras`, then those of the prompts' tags. */
  readonly loras: readonly LoraUse[]
}

/** The prompts without their LoRA tags, and every LoRA that a body names; a second prompt that is absent or empty is the first. */
export function readLoras(body: Pick<ImageBody, 'prompt' | 'prompt_2' | 'loras'>): ReadLoras {
  const [first, second] = [readLoraTags(body.prompt), readLoraTags(body.prompt_2 ?? '')]
  const named = Object.entries(body.loras ?? {}).map(([name, weight]) => ({ name, weight }))
  return { prompt: first.text, prompt2: second.text || first.text, loras: [...named, ...first.loras, ...second.loras] }
}

const positive = ['prompt', 'prompt_2'] as const
const negative = ['negative_prompt', 'negative_prompt_2'] as const

/** Says what of a request's LoRAs cannot be read, or cannot be applied by the model. */
export function findLoraFaults(model: ImageModelDescriptor, body: ImageBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (field: string, text: string, kind = 'range') => faults.push({ path: [field], message: `\`${field}\` ${text}`, kind })
  for (const field of negative) {
    const { loras, unreadable } = readLoraTags(body[field] ?? '')
    if (loras.length + unreadable.length > 0) add(field, 'may not contain <lora:…> tags: move them to `prompt`.')
  }
  const seen = new Set(Object.keys(body.loras ?? {}))
  for (const field of positive) {
    const { loras, unreadable, foreign } = readLoraTags(body[field] ?? '')
    const [wrong] = unreadable
    if (wrong !== undefined) add(field, `has the tag ${shortName(wrong)}: write <lora:name:0.8>.`)
    const [unknown] = foreign
    // A server of others may know more tags.
    if (unknown !== undefined && model.upstream === undefined)
      add(field, `has the tag ${shortName(unknown)}, which Sepia cannot apply: remove it; <lora:name:0.8> names a LoRA.`, 'unsupported')
    for (const { name, weight, textWeight = weight } of loras) {
      const most = [weight, textWeight].find((each) => Math.abs(each) > largestLoraWeight)
      if (most !== undefined) add(field, `gives the LoRA ${name} the weight ${most}: use −${largestLoraWeight} to ${largestLoraWeight}.`)
      if (textWeight !== weight && model.upstream !== undefined && model.format !== 'a1111')
        add(field, `gives the LoRA ${name} two weights, and ${model.id} takes one: write <lora:${name}:${weight}>.`, 'unsupported')
      if (seen.has(name)) add(field, `names the LoRA ${name} again: name it once.`)
      seen.add(name)
    }
    if (loras.length > 0 && !takesLoras(model))
      add(field, `has a <lora:…> tag, and ${model.id} cannot apply LoRAs: remove it.`, 'unsupported')
  }
  if (seen.size > mostLoras) add('loras', `may mix at most ${mostLoras} LoRAs, those in the prompt included, not ${seen.size}.`)
  if (Object.keys(body.loras ?? {}).length > 0 && !takesLoras(model))
    add('loras', `must be left out: ${model.id} cannot apply LoRAs.`, 'unsupported')
  return faults
}

/** An exported graph has no place where a LoRA could be added, nor has a workflow of others or OpenAI's interface. */
const formatsWithoutLoras: readonly ImageModelDescriptor['format'][] = ['onnx-sdxl', 'comfyui', 'openai-images']

function takesLoras(model: ImageModelDescriptor): boolean {
  return !formatsWithoutLoras.includes(model.format)
}
