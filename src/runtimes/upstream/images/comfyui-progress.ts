import type { ImageRequest } from '../../../core/image-generation.ts'
import { fieldOf } from '../field-of.ts'
import { parseJson } from '../parse-json.ts'
import type { UpstreamConnection } from '../upstream-connection.ts'
import { readMessages, type SocketMessage } from './read-messages.ts'
import { type DrawingOptions, scaleStep } from './server-drawing.ts'

/** Bytes before the picture in a message that holds a preview: what it is, and its format. */
const previewHead = 8
/** What a message of bytes begins with that holds a preview; others hold texts. */
const previewKind = 1

/**
 * Listens to ComfyUI's socket and reports the steps of one client's workflow until it is disposed. A socket that fails only
 * costs the progress: whether the workflow is done is asked for elsewhere.
 */
export function watchComfyUi(
  connection: UpstreamConnection,
  client: string,
  { onStep, previews, steps }: Pick<DrawingOptions, 'onStep'> & Pick<ImageRequest, 'previews' | 'steps'>,
): Disposable {
  const done = new AbortController()
  let [step, isShrinking] = [0, false]
  const report = async (message: SocketMessage): Promise<void> => {
    const value = message.isText ? progressIn(message.bytes, steps) : undefined
    if (value !== undefined) {
      step = value
      await onStep(step)
    }
    // What comes while a preview is made small is passed over: a server that sends faster than that would fill the memory.
    if (message.isText || !previews || step <= 0 || isShrinking || !isPreview(message.bytes)) return
    isShrinking = true
    await onStep(step, message.bytes.subarray(previewHead)).finally(() => {
      isShrinking = false
    })
  }
  void listen(connection, client, { signal: done.signal, report })
  return { [Symbol.dispose]: () => done.abort() }
}

async function listen(
  connection: UpstreamConnection,
  client: string,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (message: SocketMessage) => Promise<void> },
): Promise<void> {
  try {
    const socket = await connection.openSocket(`/ws?clientId=${client}`, { signal })
    const leave = (): void => void socket.destroy()
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      for await (const message of readMessages(socket)) void report(message).catch(() => undefined)
    } finally {
      leave()
    }
  } catch {
    // Progress that cannot be read is no fault of the drawing.
  }
}

function isPreview(bytes: Buffer): boolean {
  return bytes.length > previewHead && bytes.readUInt32BE(0) === previewKind
}

function progressIn(bytes: Buffer, steps: number): number | undefined {
  try {
    const message: unknown = parseJson(bytes.toString('utf8'))
    const value = fieldOf(message, 'type') === 'progress' ? fieldOf(message, 'data', 'value') : undefined
    return typeof value === 'number' ? scaleStep(value, fieldOf(message, 'data', 'max'), steps) : undefined
  } catch {
    return undefined
  }
}
