import { randomUUID } from 'node:crypto'
import type { ImageRequest } from '../../../core/image-generation.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { fieldOf } from '../field-of.ts'
import type { UpstreamConnection } from '../upstream-connection.ts'
import { makeBrokenError, makeReportedError, mayStillWork } from '../upstream-error.ts'
import { watchComfyUi } from './comfyui-progress.ts'
import type { ServerCalls } from './server-calls.ts'
import type { DrawingOptions } from './server-drawing.ts'

/** Polls of a workflow after which the queue is read too; the queue lists all clients' workflows and is long. */
const looksPerQueue = 10

/** After this many consecutive reads of the queue without it, a workflow counts as lost. */
const missesWhenLost = 3

interface ComfyUiServer {
  readonly calls: ServerCalls
  /** For the websocket of progress events. */
  readonly connection: UpstreamConnection
}

/**
 * Runs a workflow and fetches its picture. If polling fails, the workflow is cancelled, since its picture would not be fetched.
 *
 * @throws {ServiceError} `inference_failed` if it fails or is lost.
 */
export async function runWorkflow(
  { calls, connection }: ComfyUiServer,
  prompt: unknown,
  { signal, onWaiting, ...reporting }: DrawingOptions & Pick<ImageRequest, 'previews' | 'steps'>,
): Promise<Uint8Array> {
  const client = randomUUID()
  using _watching = watchComfyUi(connection, client, reporting)
  const id = await start(calls, { prompt, client_id: client, prompt_id: randomUUID() }, { signal })
  const entry = await waitForWorkflow(calls, id, { signal, onWaiting })
  if (fieldOf(entry, 'status', 'status_str') === 'error') throw makeReportedError(explainFailure(fieldOf(entry, 'status', 'messages')))
  const picture = findPicture(fieldOf(entry, 'outputs'))
  if (picture === undefined) throw makeBrokenError(`finished a workflow without an image${hintAtCache(entry)}`)
  return await calls.bytes(`/view?${picture}`, { signal })
}

/** Submits a workflow and returns its id: the requested one, except on older servers. */
async function start(
  calls: ServerCalls,
  work: { readonly prompt: unknown; readonly client_id: string; readonly prompt_id: string },
  { signal }: Abortable,
): Promise<string> {
  try {
    const id = fieldOf(await calls.post('/prompt', work, { signal, makes: 'job' }), 'prompt_id')
    if (typeof id !== 'string' || !/^[\w-]{1,200}$/u.test(id)) throw makeBrokenError('accepted a workflow without giving it an id')
    return id
  } catch (error) {
    if (signal.aborted || mayStillWork(error)) await calls.farewell((farewell) => cancel(calls, work.prompt_id, farewell))
    throw error
  }
}

/** The server's record of a finished workflow. */
async function waitForWorkflow(calls: ServerCalls, id: string, options: Pick<DrawingOptions, 'signal' | 'onWaiting'>): Promise<unknown> {
  const look = async (): Promise<unknown> => fieldOf(await calls.get(`/history/${id}`, options), id)
  try {
    for (let [looks, missed] = [1, 0]; ; looks++) {
      await calls.pause(options)
      const entry = await look()
      if (hasEnded(entry)) return entry
      if (entry !== undefined || looks % looksPerQueue !== 0) continue
      const place = await placeOf(calls, id, options)
      if (place === 'waiting') options.onWaiting()
      missed = place === 'none' ? missed + 1 : 0
      // It may have ended between the two polls, or reach the history later.
      if (missed < missesWhenLost) continue
      throw makeBrokenError('has lost the workflow: it was restarted, or somebody removed the workflow from its queue')
    }
  } catch (error) {
    await calls.farewell((farewell) => cancel(calls, id, farewell))
    throw error
  }
}

/** Whether a record is that of a finished workflow; some servers record running ones too. */
function hasEnded(entry: unknown): boolean {
  return (
    entry !== undefined &&
    entry !== null &&
    (fieldOf(entry, 'status', 'completed') !== false || fieldOf(entry, 'status', 'status_str') === 'error')
  )
}

/** Where a workflow is in the queue. An unreadable queue counts as running. */
async function placeOf(calls: ServerCalls, id: string, options: Abortable): Promise<'waiting' | 'running' | 'none'> {
  const queue = await calls.get('/queue', options).catch(() => null)
  const [running, pending] = [fieldOf(queue, 'queue_running'), fieldOf(queue, 'queue_pending')]
  if (!Array.isArray(running) || !Array.isArray(pending) || holds(running, id)) return 'running'
  return holds(pending, id) ? 'waiting' : 'none'
}

function holds(entries: readonly unknown[], id: string): boolean {
  return entries.some((entry) => fieldOf(entry, 1) === id)
}

/** Removes a workflow from the queue, or interrupts it if it is running. */
async function cancel(calls: ServerCalls, id: string, options: Abortable): Promise<void> {
  await calls.post('/queue', { delete: [id] }, options)
  const running = fieldOf(await calls.get('/queue', options), 'queue_running')
  if (Array.isArray(running) && holds(running, id)) await calls.post('/interrupt', { prompt_id: id }, options)
}

/** Explains a missing picture: old servers do not report the output of nodes they did not run again. */
function hintAtCache(entry: unknown): string {
  const messages = fieldOf(entry, 'status', 'messages')
  const isCached =
    Array.isArray(messages) &&
    messages.some((message: unknown) => fieldOf(message, 0) === 'execution_cached' && fieldOf(message, 1, 'nodes', 0) !== undefined)
  return isCached ? ': it had the image in its cache; update it, or change the seed' : ''
}

/** The failed node and its exception type, without the message, which may repeat the prompt. */
function explainFailure(messages: unknown): string {
  const find = (name: string): unknown =>
    Array.isArray(messages) ? messages.find((message: unknown) => fieldOf(message, 0) === name) : undefined
  if (find('execution_interrupted') !== undefined) return 'was interrupted by somebody else'
  const failure = find('execution_error')
  const [exception, node] = ['exception_type', 'node_type'].map((field) => String(fieldOf(failure, 1, field)).slice(0, 80))
  return failure === undefined ? 'failed in its workflow' : `failed in its workflow: ${exception} in ${node}`
}

/** Query string for the first picture that the workflow saved. */
function findPicture(outputs: unknown): string | undefined {
  const pictures = Object.values(Object(outputs)).flatMap((node: unknown) => {
    const images = fieldOf(node, 'images')
    return Array.isArray(images) ? images : []
  })
  const saved = pictures.find((picture: unknown) => fieldOf(picture, 'type') === 'output') ?? pictures[0]
  const filename = fieldOf(saved, 'filename')
  if (typeof filename !== 'string') return undefined
  const query = { filename, subfolder: String(fieldOf(saved, 'subfolder') ?? ''), type: String(fieldOf(saved, 'type') ?? 'output') }
  return new URLSearchParams(query).toString()
}
