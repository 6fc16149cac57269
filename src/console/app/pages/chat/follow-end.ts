import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Within this distance from the end, in CSS pixels, the user counts as being at the end. */
const nearPx = 24

/**
 * Keeps the end of growing content in view until the user scrolls away, and again after they return.
 *
 * @returns whether the end is followed, and a function that scrolls to it.
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
      // Growing content moves the end without any scrolling; only scrolling up is an action of the user.
      if (distanceToEnd() < nearPx) following.value = true
      else if (top < before) following.value = false
    }
    const observer = new ResizeObserver(() => {
      if (following.peek()) scrollToEnd()
    })
    window.addEventListener('scroll', onScroll, { passive: true })
    // With what is below it: a growing message box must not cover the end.
    if (growing.current?.parentElement) observer.observe(growing.current.parentElement)
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
