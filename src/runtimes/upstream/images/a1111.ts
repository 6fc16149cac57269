import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { foreignSampler } from '../../../core/images/image-servers.ts'
import { loraTag } from '../../../core/images/lora.ts'
import type { Sampler } from '../../../core/sampler.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { fieldOf, textsIn } from '../field-of.ts'
import { isLate, makeBrokenError, mayStillWork, statusOf } from '../upstream-error.ts'
import type { ServerCalls } from './server-calls.ts'
import { ServerCapabilities } from './server-capabilities.ts'
import {
  type DrawingOptions,
  type ImageServer,
  pictureIn,
  rareFields,
  refuseEmbedded,
  refuseUsed,
  type ServerDrawing,
  scaleStep,
  toBase64,
} from './server-drawing.ts'

/** The capabilities that a server of this kind reports. */
interface Capabilities {
  readonly samplers: readonly string[]
  /** Missing on older servers, where the schedule is part of the sampler's name. */
  readonly spacings: readonly string[]
}

/**
 * A server with the API of AUTOMATIC1111's Stable Diffusion web UI, such as Forge and SD.Next.
 *
 * Its `interrupt` and `progress` concern whatever the server is drawing, so Sepia sends one picture at a time, and the server should have no other
 * clients. If it has, such as another node, most servers report that Sepia's task is waiting.
 *
 * @throws {ServiceError} `inference_failed` if it does not answer.
 */
export async function connectA1111(calls: ServerCalls, connecting: Abortable): Promise<ImageServer> {
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
        return pictureIn(answer, fieldOf(answer, 'images'))
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

/** Interrupts the server, unless it is drawing for another client. */
async function interrupt(calls: ServerCalls, task: string): Promise<void> {
  let isAnothers = false
  await calls.farewell(async (farewell) => {
    isAnothers = await drawsAnother(calls, task, farewell)
  })
  if (!isAnothers) await calls.farewell((farewell) => calls.post('/sdapi/v1/interrupt', {}, farewell))
}

/** Whether the server is drawing for another client: it reports that the task is waiting or has ended. Servers that report no tasks are assumed to have no other clients. */
async function drawsAnother(calls: ServerCalls, task: string, options: Abortable): Promise<boolean> {
  const reported = await calls.post('/internal/progress', { id_task: task, live_preview: false }, options).catch(() => {
    options.signal.throwIfAborted()
    return null
  })
  return fieldOf(reported, 'queued') === true || fieldOf(reported, 'completed') === true
}

/** Explains a 404: the API exists only if the server was started with `--api`. */
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
  /** The server's id of the task. */
  readonly task: string
  /** Called when the server stops reporting its progress. */
  readonly onHung: (error: unknown) => void
}

/** Consecutive unanswered polls after which a server counts as hung; a single one may fall into the loading of its weights. */
const unansweredWhenHung = 2

/** Reports the server's progress until the signal aborts. Failures to read or report it are ignored. */
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
      // Checked after the read: if Sepia's task is being drawn now, the progress belongs to it.
      if (await drawsAnother(calls, task, { signal })) continue
      const preview = typeof picture === 'string' && picture !== '' ? pictureIn(null, [picture]) : undefined
      await onStep(scaleStep(step, all, steps), preview).catch(() => undefined)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
