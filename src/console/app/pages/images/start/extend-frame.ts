import type { Size } from '../form/size-choices.ts'
import type { StartingImage } from './starting-image.ts'

/** The position of a picture in its new frame. */
export interface FramePlace {
  /** Percent of the largest size that fits. */
  readonly scale: number
  readonly across: 'left' | 'middle' | 'right'
  readonly down: 'top' | 'middle' | 'bottom'
}

/** A box in pixels. */
export interface Box extends Size {
  readonly left: number
  readonly top: number
}

const shares = { left: 0, top: 0, middle: 0.5, right: 1, bottom: 1 } as const

/** The box of a picture in a larger frame. */
export function placeInFrame(picture: Size, frame: Size, { scale, across, down }: FramePlace): Box {
  const fit = Math.min(frame.width / picture.width, frame.height / picture.height) * (scale / 100)
  const width = Math.max(1, Math.round(picture.width * fit))
  const height = Math.max(1, Math.round(picture.height * fit))
  return {
    width,
    height,
    left: Math.round((frame.width - width) * shares[across]),
    top: Math.round((frame.height - height) * shares[down]),
  }
}

/** Whether the picture leaves no part of the frame empty. */
export function fillsFrame({ width, height }: Box, frame: Size): boolean {
  return width >= frame.width && height >= frame.height
}

/** Places a picture in a larger frame whose empty part is to be drawn. */
export async function extendPicture(picture: StartingImage, frame: Size, box: Box): Promise<StartingImage> {
  const image = new Image()
  image.src = picture.url
  await image.decode()
  const url = paint(frame, (context) => context.drawImage(image, box.left, box.top, box.width, box.height))
  const mask = paint(frame, (context) => {
    context.fillStyle = '#fff'
    context.fillRect(0, 0, frame.width, frame.height)
    context.fillStyle = '#000'
    context.fillRect(box.left, box.top, box.width, box.height)
  })
  return { ...frame, url, mask, extended: true }
}

function paint({ width, height }: Size, work: (context: CanvasRenderingContext2D) => void): string {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (context) work(context)
  return canvas.toDataURL('image/png')
}
