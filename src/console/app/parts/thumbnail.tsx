import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'

/** The widths in which the service offers pictures. */
const widths = [160, 320, 640, 1024] as const
/** Time until a picture that failed to load is retried; doubled after each failure. */
const firstPauseMs = 1000
const maxTries = 4

interface ThumbnailProps {
  /** Address of the full picture. */
  readonly address: string
  readonly alt: string
  /** Number of times that the picture at the address was replaced while the page was open. */
  readonly changes?: number
  /** Its largest displayed width, in CSS pixels. */
  readonly across: number
  readonly class?: string
  readonly width?: number
  readonly height?: number
}

/** A picture in a list, loaded when it is in view and no larger than displayed. */
export function Thumbnail({ address, across, changes = 0, ...props }: ThumbnailProps): VNode {
  const tries = useSignal(1)
  const loads = tries.value - 1 + changes * maxTries
  const failed = useSignal(false)
  useEffect(() => {
    if (!failed.value || tries.value >= maxTries) return
    const again = setTimeout(
      () => {
        failed.value = false
        tries.value += 1
      },
      firstPauseMs * 2 ** tries.value,
    )
    return () => clearTimeout(again)
  }, [failed.value])
  return (
    // biome-ignore lint/a11y/useAltText: it is among the props
    <img
      {...props}
      src={`${thumbnailAddress(address, across * devicePixelRatio)}${loads > 0 ? `#${loads}` : ''}`}
      loading="lazy"
      onError={() => (failed.value = true)}
    />
  )
}

/** The address of the smallest sufficient width. */
function thumbnailAddress(address: string, pixels: number): string {
  return `${address}?width=${widths.find((width) => width >= pixels) ?? widths.at(-1)}`
}
