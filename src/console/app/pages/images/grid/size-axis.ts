import { t } from '../../../language/t.ts'
import { type Size, type Sized, sizeChoices, sizeFault } from '../form/size-choices.ts'
import type { Axis } from './axis.ts'

/** An axis of sizes, typed as `512x768`. */
export function sizeAxis(model: Sized): Axis {
  const example = sizeChoices(model)
    .slice(0, 3)
    .map(({ width, height }) => `${width}x${height}`)
  return {
    name: 'size',
    label: t`Size`,
    example: example.join(', '),
    read: (words) => {
      const wrong = words.find((word) => faultOf(word, model) !== null)
      if (wrong !== undefined) return `${wrong}: ${faultOf(wrong, model)}`
      return words.flatMap((word) => {
        const size = readSize(word)
        return size === null ? [] : [{ label: `${size.width} × ${size.height}`, change: () => size }]
      })
    },
  }
}

function faultOf(word: string, model: Sized): string | null {
  const size = readSize(word)
  return size === null ? t`Width and height, as ${'512x768'}.` : sizeFault(size, model)
}

function readSize(word: string): Size | null {
  const [, width, height] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/i.exec(word) ?? []
  return width === undefined || height === undefined ? null : { width: Number(width), height: Number(height) }
}
