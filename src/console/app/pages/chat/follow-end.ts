import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Closer to the end than this, in CSS pixels, somebody is at it. */
const nearPx = 24

/**
 * Keeps the end of something that grows in view until the person scrolls away from it, and again from when they come back.
 *
 * @returns whether the end is followed, and the way to it.
 */
export function useFollowEnd(growing: { readonly current: Element | null }): {
  readonly following: Signal<boolean>
  readonly toEnd: () => void
} {
  const following = useSignal(true)
  const toEnd = () => {
    following.value = true
    scrollToEnd()
  }
  useEffect(() => {
    let top = document.documentElement.scrollTop
    const onScroll = () => {
      const before = top
      top = document.documentElement.scrollTop
      // What grows moves the end away without anybody having scrolled; only a way up is a person's.
      if (distanceToEnd() < nearPx) following.value = true
      else if (top < before) following.value = false
    }
    const observer = new ResizeObserver(() => {
      if (following.peek()) scrollToEnd()
    })
    window.addEventListener('scroll', onScroll, { passive: true })
    if (growing.current) observer.observe(growing.current)
    return () => {
      window.removeEventListener('scroll', onScroll)
      observer.disconnect()
    }
  }, [])
  return { following, toEnd }
}

function distanceToEnd(): number {
  const { scrollHeight, scrollTop, clientHeight } = document.documentElement
  return scrollHeight - scrollTop - clientHeight
}

function scrollToEnd(): void {
  document.documentElement.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
}
