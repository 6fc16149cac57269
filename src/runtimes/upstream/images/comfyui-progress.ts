import type { ImageRequest } from '../../../core/image-generation.ts'
import { fieldOf } from '../field-of.ts'
import { parseJson } from '../parse-json.ts'
import type { UpstreamConnection } from '../upstream-connection.ts'
import { readMessages, type SocketMessage } from './read-messages.ts'
import { type DrawingOptions, scaleStep } from './server-drawing.ts'

/** Bytes before the picture in a preview message: event type and image format. */
const previewHead = 8
/** Event type of preview messages; other binary messages hold text. */
const previewKind = 1

/**
 * Reports the steps of one client's workflow from ComfyUI's websocket until disposed. If the websocket fails, only
 * progress is lost: completion is polled elsewhere.
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
    // Previews that arrive while one is being resized are dropped, so that a fast server cannot fill the memory.
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
    // Unreadable progress does not fail the drawing.
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
