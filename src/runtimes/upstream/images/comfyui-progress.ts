import { parseJson } from '../parse-json.ts'
import { fieldOf } from './server-calls.ts'
import type { DrawingOptions } from './server-drawing.ts'

/** Bytes before the picture in a message that holds a preview: what it is, and its format. */
const previewHead = 8

/**
 * Listens to ComfyUI's socket and reports the steps of one client's workflow. A socket that fails only costs the
 * progress: whether the workflow is done is asked for elsewhere.
 */
export function watchComfyUi(
  url: string,
  client: string,
  { onStep, previews }: Pick<DrawingOptions, 'onStep'> & { readonly previews: boolean },
): Disposable {
  const socket = new WebSocket(`${url.replace(/^http/u, 'ws')}/ws?clientId=${client}`)
  socket.binaryType = 'arraybuffer'
  let step = 0
  const report = (preview?: Uint8Array): void => void onStep(step, preview).catch(() => undefined)
  socket.addEventListener('error', () => undefined)
  socket.addEventListener('message', (message) => {
    const data: unknown = message.data
    if (data instanceof ArrayBuffer) {
      if (previews && step > 0 && data.byteLength > previewHead) report(new Uint8Array(data, previewHead))
      return
    }
    const value = progressIn(data)
    if (value === undefined) return
    step = value
    report()
  })
  return { [Symbol.dispose]: () => socket.close() }
}

function progressIn(data: unknown): number | undefined {
  if (typeof data !== 'string') return undefined
  try {
    const message: unknown = parseJson(data)
    const value = fieldOf(message, 'type') === 'progress' ? fieldOf(message, 'data', 'value') : undefined
    return typeof value === 'number' ? value : undefined
  } catch {
    return undefined
  }
}
