interface Stroke {
  readonly from: { readonly x: number; readonly y: number }
  readonly to: { readonly x: number; readonly y: number }
  readonly width: number
  readonly erase: boolean
}

/** What is painted is this opaque; the alpha is the mask. */
const paintColour = '#c2571a'

/** Draws one piece of a brush stroke, in the canvas's own pixels. */
export function paintStroke(canvas: HTMLCanvasElement, { from, to, width, erase }: Stroke): void {
  const context = canvas.getContext('2d')
  if (!context) return
  context.globalCompositeOperation = erase ? 'destination-out' : 'source-over'
  context.strokeStyle = paintColour
  context.lineCap = 'round'
  context.lineWidth = width
  context.beginPath()
  context.moveTo(from.x, from.y)
  context.lineTo(to.x, to.y)
  context.stroke()
}

/** The painted part in white on black as a PNG `data:` URL, or null when nothing is painted. */
export function maskDataUrl(canvas: HTMLCanvasElement): string | null {
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height)
  if (!pixels) return null
  let painted = false
  for (let at = 0; at < pixels.data.length; at += 4) {
    const white = (pixels.data[at + 3] ?? 0) > 127
    painted ||= white
    pixels.data.fill(white ? 255 : 0, at, at + 3)
    pixels.data[at + 3] = 255
  }
  if (!painted) return null
  const copy = document.createElement('canvas')
  copy.width = canvas.width
  copy.height = canvas.height
  copy.getContext('2d')?.putImageData(pixels, 0, 0)
  return copy.toDataURL('image/png')
}

/** Puts an earlier mask back onto the canvas, to go on painting. */
export async function restoreMask(canvas: HTMLCanvasElement, mask: string): Promise<void> {
  const image = new Image()
  image.src = mask
  await image.decode()
  const context = canvas.getContext('2d')
  if (!context) return
  context.drawImage(image, 0, 0)
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height)
  for (let at = 0; at < pixels.data.length; at += 4) {
    const white = (pixels.data[at] ?? 0) > 127
    pixels.data.set(white ? [0xc2, 0x57, 0x1a, 255] : [0, 0, 0, 0], at)
  }
  context.putImageData(pixels, 0, 0)
}
