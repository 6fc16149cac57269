import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { foreignSampler } from '../../../core/images/image-servers.ts'
import { findPlaceholder, type Placeholder, placeholderPattern, type Workflow } from '../../../core/images/workflow.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { Sampler } from '../../../core/sampler.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { fieldOf, textsIn } from '../field-of.ts'
import type { UpstreamConnection } from '../upstream-connection.ts'
import { makeBrokenError } from '../upstream-error.ts'
import { runWorkflow } from './comfyui-run.ts'
import type { ServerCalls } from './server-calls.ts'
import { ServerCapabilities } from './server-capabilities.ts'
import { type ImageServer, rareFields, refuseUsed } from './server-drawing.ts'

interface ComfyUi {
  readonly calls: ServerCalls
  readonly workflow: Workflow
  /** For the websocket of progress events. */
  readonly connection: UpstreamConnection
  readonly native: ImageModelDescriptor['native']
  readonly defaults: { readonly steps: number; readonly guidanceScale: number; readonly sampler: Sampler }
}

/**
 * A workflow on ComfyUI. Requests can set the fields that the workflow has placeholders for; others are rejected by name.
 *
 * @throws {ServiceError} `inference_failed` if it does not answer.
 */
export async function connectComfyUi(comfy: ComfyUi, connecting: Abortable): Promise<ImageServer> {
  const { calls, workflow } = comfy
  const known = await ServerCapabilities.open(async (options) => {
    const sampling = fieldOf(await calls.get('/object_info/KSampler', options), 'KSampler', 'input', 'required')
    return { samplers: choicesOf(fieldOf(sampling, 'sampler_name')), schedulers: choicesOf(fieldOf(sampling, 'scheduler')) }
  }, connecting)
  return {
    async refuse(request, options) {
      refuseUsed('comfyui', [...rareFields(request), ...closedFields(comfy, request)])
      if (workflow.open.includes('sampler')) await known.check((reported) => void samplerNames(reported, request.sampler), options)
      for (const [field, given] of [
        ['init_image', request.initial],
        ['mask_image', request.mask],
      ] as const)
        if (given === null && workflow.open.includes(field))
          throw new ServiceError('validation_error', `\`${field}\` is required: this model's workflow starts from it.`, { param: field })
    },
    draw: async ({ request, texts, seed }, options) => {
      const names = workflow.open.includes('sampler') ? samplerNames(known.reported, request.sampler) : { sampler: '', scheduler: '' }
      const prompt = fillWorkflow(workflow, {
        ...names,
        prompt: texts.prompt,
        negative_prompt: texts.negative?.prompt ?? '',
        seed,
        steps: request.steps,
        cfg_scale: request.guidanceScale,
        width: request.width,
        height: request.height,
        strength: request.initial?.strength ?? 1,
        init_image: await upload(calls, request.initial?.image, options),
        mask_image: await upload(calls, request.mask?.image, options),
      })
      return await runWorkflow(comfy, prompt, { ...options, previews: request.previews, steps: request.steps })
    },
  }
}

/** Permitted values of a node's input: a list or, in newer nodes, `COMBO` with the list among its options. */
function choicesOf(input: unknown): readonly string[] {
  const [kind, choices] = [fieldOf(input, 0), fieldOf(input, 1, 'options')]
  return textsIn(kind === 'COMBO' ? choices : kind)
}

/** Request fields without a placeholder in the workflow. */
function closedFields({ workflow: { open }, native, defaults }: ComfyUi, request: ImageRequest): readonly (readonly [string, boolean])[] {
  return [
    ['negative_prompt', request.negative !== null && !open.includes('negative_prompt')],
    ['width', request.width !== native.width && !open.includes('width')],
    ['height', request.height !== native.height && !open.includes('height')],
    ['steps', request.steps !== defaults.steps && !open.includes('steps')],
    ['cfg_scale', request.guidanceScale !== defaults.guidanceScale && !open.includes('cfg_scale')],
    ['sampler', request.sampler !== defaults.sampler && !open.includes('sampler')],
    ['init_image', request.initial !== null && !open.includes('init_image')],
    ['strength', request.initial !== null && !open.includes('strength')],
    ['mask_image', request.mask !== null && !open.includes('mask_image')],
    ['inpaint_full_res', request.mask?.fullResolution === true],
    ['mask_blur', (request.mask?.blur ?? 0) > 0],
    ['loras', request.loras.length > 0],
  ]
}

function samplerNames(known: { readonly samplers: readonly string[]; readonly schedulers: readonly string[] }, sampler: Sampler) {
  const name = foreignSampler('comfyui', sampler)
  const scheduler = name?.spacing === 'karras' ? 'karras' : 'normal'
  if (name !== undefined && known.samplers.includes(name.solver) && known.schedulers.includes(scheduler))
    return { sampler: name.solver, scheduler }
  throw new ServiceError('unsupported', `\`sampler\` must not be ${sampler}: the server has no equivalent.`, { param: 'sampler' })
}

/** Uploads a picture to the server's inputs and returns its name there; undefined without a picture. */
async function upload(calls: ServerCalls, image: Uint8Array | undefined, options: Abortable): Promise<string> {
  if (image === undefined) return ''
  const form = new FormData()
  form.set('image', new Blob([Uint8Array.from(image)]), `sepia-${randomUUID()}.png`)
  form.set('type', 'input')
  const answer = await calls.postForm('/upload/image', form, options)
  const [name, folder] = [fieldOf(answer, 'name'), fieldOf(answer, 'subfolder')]
  if (typeof name !== 'string') throw makeBrokenError('accepted an image without returning its name')
  return typeof folder === 'string' && folder !== '' ? `${folder}/${name}` : name
}

type Values = Readonly<Record<Placeholder, string | number>>

/** Fills in every placeholder of the workflow. A placeholder that is a whole string takes the type of its value. */
function fillWorkflow({ nodes }: Workflow, values: Values): unknown {
  return fill(nodes, values)
}

function fill(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const whole = findPlaceholder(/^\{\{(\w+)\}\}$/u.exec(value)?.[1])
    if (whole !== undefined) return values[whole]
    // A function, because `$` has a special meaning in a replacement string.
    return value.replaceAll(placeholderPattern, (text, name: string) => {
      const known = findPlaceholder(name)
      return known === undefined ? text : String(values[known])
    })
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fill(item, values))
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, values)]))
  return value
}
