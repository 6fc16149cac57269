import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { foreignSampler } from '../../../core/images/image-servers.ts'
import { loraTag } from '../../../core/images/lora.ts'
import type { Sampler } from '../../../core/sampler.ts'
import { fieldOf, textsIn } from '../field-of.ts'
import { isLate, makeBrokenError, mayStillWork, statusOf } from '../upstream-error.ts'
import type { ServerCalls } from './server-calls.ts'
import { ServerCapabilities } from './server-capabilities.ts'
import {
  type DrawingOptions,
  fromBase64,
  type ImageServer,
  rareFields,
  refuseEmbedded,
  refuseUsed,
  type ServerDrawing,
  scaleStep,
  toBase64,
} from './server-drawing.ts'

/** What a server of this kind reports about itself. */
interface Capabilities {
  readonly samplers: readonly string[]
  /** Older servers have none: there the spacing is part of the sampler's name. */
  readonly spacings: readonly string[]
}

/**
 * A server with the interface of AUTOMATIC1111's Stable Diffusion web UI, which Forge and SD.Next speak too.
 *
 * An interruption stops whatever that server draws, and its progress is that of it too, so it should draw for us alone, and
 * one picture at a time; where others draw there all the same, as another node may, most servers say that ours waits.
 *
 * @throws {ServiceError} `inference_failed` when it does not answer.
 */
export async function connectA1111(calls: ServerCalls, connecting: { readonly signal: AbortSignal }): Promise<ImageServer> {
  const capabilities = await ServerCapabilities.open(async (options) => {
    const samplers = textsIn(await calls.get('/sdapi/v1/samplers', options).catch(hintAtInterface), 'name')
    return { samplers, spacings: textsIn(await calls.get('/sdapi/v1/schedulers', options).catch(unlessMissing), 'name') }
  }, connecting)
  return {
    async refuse(request, options) {
      refuseEmbedded(request)
      refuseUsed('a1111', rareFields(request))
      await capabilities.check((reported) => void samplerFields(reported, request.sampler), options)
    },
    draw: async (drawing, options) => {
      const task = `task(sepia-${randomUUID()})`
      const path = drawing.request.initial === null ? '/sdapi/v1/txt2img' : '/sdapi/v1/img2img'
      const [done, hung] = [new AbortController(), new AbortController()]
      const signal = AbortSignal.any([options.signal, hung.signal])
      const watching = watch(calls, drawing.request, {
        ...options,
        task,
        signal: AbortSignal.any([signal, done.signal]),
        onHung: (error) => hung.abort(error),
      })
      try {
        const answer = await calls.post(
          path,
          { ...drawingFields(drawing), force_task_id: task, ...samplerFields(capabilities.reported, drawing.request.sampler) },
          { signal, makes: 'picture' },
        )
        return fromBase64(fieldOf(answer, 'images', 0))
      } catch (error) {
        if (signal.aborted || mayStillWork(error)) await interrupt(calls, task)
        throw error
      } finally {
        done.abort()
        await watching
      }
    },
  }
}

/** Stops what the server draws, unless that is somebody else's. */
async function interrupt(calls: ServerCalls, task: string): Promise<void> {
  let isAnothers = false
  await calls.farewell(async (farewell) => {
    isAnothers = await drawsAnother(calls, task, farewell)
  })
  if (!isAnothers) await calls.farewell((farewell) => calls.post('/sdapi/v1/interrupt', {}, farewell))
}

/** Whether the server says that the task waits behind others, or has ended, so that what it draws is not ours; some name no tasks, and are thought to draw for us alone. */
async function drawsAnother(calls: ServerCalls, task: string, options: { readonly signal: AbortSignal }): Promise<boolean> {
  const reported = await calls.post('/internal/progress', { id_task: task, live_preview: false }, options).catch(() => {
    options.signal.throwIfAborted()
    return null
  })
  return fieldOf(reported, 'queued') === true || fieldOf(reported, 'completed') === true
}

/** It is there only when it was asked for at the server's start. */
function hintAtInterface(error: unknown): never {
  if (statusOf(error) !== 404) throw error
  throw makeBrokenError('has no /sdapi/v1; start it with --api, or correct `url` in its model.json')
}

function unlessMissing(error: unknown): readonly unknown[] {
  if (statusOf(error) === 404) return []
  throw error
}

function samplerFields({ samplers, spacings }: Capabilities, sampler: Sampler): Readonly<Record<string, string>> {
  const known = foreignSampler('a1111', sampler)
  if (known !== undefined) {
    const { solver, spacing } = known
    const wanted = spacing === 'karras' ? 'karras' : 'uniform'
    if (spacings.includes(wanted) && samplers.includes(solver)) return { sampler_name: solver, scheduler: wanted }
    const whole = spacing === 'karras' ? `${solver} Karras` : solver
    if (spacings.length === 0 && samplers.includes(whole)) return { sampler_name: whole }
  }
  throw new ServiceError('unsupported', `\`sampler\` must not be ${sampler}: the server has no equivalent.`, { param: 'sampler' })
}

function drawingFields({ request, texts, seed }: ServerDrawing): Readonly<Record<string, unknown>> {
  const { initial, mask } = request
  return {
    prompt: [texts.prompt, ...request.loras.map(loraTag)].join(' '),
    negative_prompt: texts.negative?.prompt ?? '',
    width: request.width,
    height: request.height,
    steps: request.steps,
    cfg_scale: request.guidanceScale,
    seed,
    batch_size: 1,
    n_iter: 1,
    send_images: true,
    save_images: false,
    ...(initial && { init_images: [toBase64(initial.image)], denoising_strength: initial.strength, resize_mode: 1 }),
    ...(mask && {
      mask: toBase64(mask.image),
      mask_blur: mask.blur,
      inpainting_fill: 1,
      inpaint_full_res: mask.fullResolution,
      inpaint_full_res_padding: mask.padding,
    }),
  }
}

interface Watch extends DrawingOptions {
  /** What our picture is called there. */
  readonly task: string
  /** Called when the server stops reporting its progress. */
  readonly onHung: (error: unknown) => void
}

/** Questions in a row without an answer that show a server to hang: one may meet it while it loads its weights. */
const unansweredWhenHung = 2

/** Reports the server's progress until the signal ends it; progress that cannot be read or reported is no fault. */
async function watch(calls: ServerCalls, { previews, steps }: ImageRequest, { task, signal, onStep, onHung }: Watch): Promise<void> {
  let unanswered = 0
  try {
    for (;;) {
      await calls.pause({ signal })
      const progress = await calls.get(`/sdapi/v1/progress?skip_current_image=${!previews}`, { signal }).catch((error: unknown) => {
        unanswered = isLate(error) ? unanswered + 1 : 0
        if (unanswered === unansweredWhenHung) onHung(error)
        return null
      })
      if (progress !== null) unanswered = 0
      const [step, all] = [fieldOf(progress, 'state', 'sampling_step'), fieldOf(progress, 'state', 'sampling_steps')]
      const picture = fieldOf(progress, 'current_image')
      if (typeof step !== 'number' || step <= 0) continue
      // Asked only now: what was read is then of ours, if ours is being drawn.
      if (await drawsAnother(calls, task, { signal })) continue
      const preview = typeof picture === 'string' && picture !== '' ? fromBase64(picture) : undefined
      await onStep(scaleStep(step, all, steps), preview).catch(() => undefined)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
