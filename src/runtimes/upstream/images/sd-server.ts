import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { foreignSampler } from '../../../core/images/image-servers.ts'
import type { LoraUse } from '../../../core/images/lora.ts'
import type { Sampler } from '../../../core/sampler.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { fieldOf, textsIn } from '../field-of.ts'
import { makeBrokenError, makeReportedError, statusOf } from '../upstream-error.ts'
import type { ServerCalls } from './server-calls.ts'
import { ServerCapabilities } from './server-capabilities.ts'
import { type DrawingOptions, type ImageServer, pictureIn, rareFields, refuseUsed, type ServerDrawing, toBase64 } from './server-drawing.ts'

/** States of a job in the queue, and of one that has not ended; its own server uses the first and the third. */
const waiting: readonly string[] = ['queued', 'pending']
const working: readonly string[] = [...waiting, 'generating', 'running', 'processing', 'in_progress']

/**
 * The native API of stable-diffusion.cpp's server: a picture is a job that is polled until it is done. The
 * server reports no steps.
 *
 * @throws {ServiceError} `inference_failed` if it does not answer.
 */
export async function connectSdServer(calls: ServerCalls, connecting: Abortable): Promise<ImageServer> {
  const capabilities = await ServerCapabilities.open((options) => calls.get('/sdcpp/v1/capabilities', options), connecting)
  return {
    async refuse(request, options) {
      refuseUsed('sd-server', [
        ...rareFields(request),
        ['inpaint_full_res', request.mask?.fullResolution === true],
        ['mask_blur', (request.mask?.blur ?? 0) > 0],
      ])
      await capabilities.check((reported) => {
        samplerFields(reported, request.sampler)
        for (const lora of request.loras) loraField(reported, lora)
        refuseSize(reported, request)
      }, options)
    },
    draw: async (drawing, options) => {
      const job = await calls.post('/sdcpp/v1/img_gen', jobFields(capabilities.reported, drawing), { signal: options.signal, makes: 'job' })
      const id = fieldOf(job, 'id')
      if (typeof id !== 'string' || !/^[\w-]{1,200}$/u.test(id)) throw makeBrokenError('accepted an image without giving it an id')
      const state = await waitForJob(calls, id, options)
      const status = fieldOf(state, 'status')
      if (status !== 'completed')
        throw makeReportedError(`ended an image as ${[status, fieldOf(state, 'error', 'code')].join(' ').slice(0, 80).trim()}`)
      return pictureIn(state, textsIn(fieldOf(state, 'result', 'images'), 'b64_json'))
    },
  }
}

/** The state of a finished job. If polling fails, the job is cancelled, since its picture would not be fetched. */
async function waitForJob(calls: ServerCalls, id: string, options: Pick<DrawingOptions, 'signal' | 'onWaiting'>): Promise<unknown> {
  try {
    for (;;) {
      await calls.pause(options)
      const state = await calls.get(`/sdcpp/v1/jobs/${id}`, options).catch(explainLoss)
      const status = fieldOf(state, 'status')
      if (typeof status !== 'string') throw makeBrokenError('does not report the state of an image it accepted')
      if (!working.includes(status)) return state
      if (waiting.includes(status)) options.onWaiting()
    }
  } catch (error) {
    await calls.farewell((farewell) => calls.post(`/sdcpp/v1/jobs/${id}/cancel`, {}, farewell))
    throw error
  }
}

function explainLoss(error: unknown): never {
  const isLost = [404, 410].includes(statusOf(error) ?? 0)
  throw isLost ? makeBrokenError('has lost an image it accepted: it was restarted', error) : error
}

function samplerFields(capabilities: unknown, sampler: Sampler): Readonly<Record<string, string>> {
  const known = foreignSampler('sd-server', sampler)
  const spacing = known?.spacing === 'karras' ? 'karras' : 'discrete'
  const samplers = textsIn(fieldOf(capabilities, 'samplers'))
  if (known !== undefined && samplers.includes(known.solver) && textsIn(fieldOf(capabilities, 'schedulers')).includes(spacing))
    return { sample_method: known.solver, scheduler: spacing }
  throw new ServiceError('unsupported', `\`sampler\` must not be ${sampler}: the server has no equivalent.`, { param: 'sampler' })
}

function loraField(capabilities: unknown, { name, weight }: LoraUse): Readonly<Record<string, unknown>> {
  const listed = fieldOf(capabilities, 'loras')
  const found: unknown = Array.isArray(listed) ? listed.find((entry: unknown) => fieldOf(entry, 'name') === name) : undefined
  const path = fieldOf(found, 'path')
  if (typeof path !== 'string')
    throw new ServiceError('unsupported', `The server has no LoRA ${name}: use one of ${textsIn(listed, 'name').join(', ') || 'none'}.`, {
      param: 'loras',
    })
  return { path, multiplier: weight, is_high_noise: false }
}

function refuseSize(capabilities: unknown, { width, height }: ImageRequest): void {
  const limits = fieldOf(capabilities, 'limits')
  for (const [side, value] of [
    ['width', width],
    ['height', height],
  ] as const) {
    const [least, most] = [fieldOf(limits, `min_${side}`), fieldOf(limits, `max_${side}`)]
    if ((typeof least === 'number' && value < least) || (typeof most === 'number' && value > most))
      throw new ServiceError('validation_error', `\`${side}\` must be from ${least} to ${most} on this server, not ${value}.`, {
        param: side,
      })
  }
}

function jobFields(capabilities: unknown, { request, texts, seed }: ServerDrawing): Readonly<Record<string, unknown>> {
  const { initial, mask, steps, guidanceScale } = request
  return {
    prompt: texts.prompt,
    negative_prompt: texts.negative?.prompt ?? '',
    width: request.width,
    height: request.height,
    seed,
    batch_count: 1,
    sample_params: {
      ...samplerFields(capabilities, request.sampler),
      sample_steps: steps,
      guidance: { txt_cfg: guidanceScale },
    },
    lora: request.loras.map((lora) => loraField(capabilities, lora)),
    ...(initial && { init_image: toBase64(initial.image), strength: initial.strength }),
    ...(mask && { mask_image: toBase64(mask.image) }),
    // Not every build writes WebP; the result is converted to the requested encoding.
    output_format: textsIn(fieldOf(capabilities, 'output_formats')).includes(request.encoding) ? request.encoding : 'png',
  }
}
