import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'

/** The widths that the service has pictures in. */
const widths = [160, 320, 640, 1024] as const
/** Until a picture that could not be loaded is tried again; then twice as long each time. */
const firstPauseMs = 1000
const mostTries = 4

interface ThumbnailProps {
  /** Of the picture itself. */
  readonly address: string
  readonly alt: string
  /** The widest that it is shown, in CSS pixels. */
  readonly across: number
  readonly class?: string
  readonly width?: number
  readonly height?: number
}

/** A picture in a list: loaded once it is in sight, and no larger than it is shown. */
export function Thumbnail({ address, across, ...props }: ThumbnailProps): VNode {
  const tries = useSignal(1)
  const failed = useSignal(false)
  useEffect(() => {
    if (!failed.value || tries.value >= mostTries) return
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
      src={`${thumbnailAddress(address, across * devicePixelRatio)}${tries.value > 1 ? `#${tries.value}` : ''}`}
      loading="lazy"
      onError={() => (failed.value = true)}
    />
  )
}

/** Where a picture is in the smallest width that fills so many pixels. */
function thumbnailAddress(address: string, pixels: number): string {
  return `${address}?width=${widths.find((width) => width >= pixels) ?? widths.at(-1)}`
}
