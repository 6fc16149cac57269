import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { boardItems } from './board-items.ts'

const narrow = '(max-width: 64rem)'

/** The board of drawings; one that was just asked for comes into view. */
export function useNewestInView(): RefObject<HTMLElement | null> {
  const board = useRef<HTMLElement>(null)
  const newest = boardItems()[0]?.key ?? 0
  const seen = useRef(newest)
  useEffect(() => {
    if (seen.current === newest) return
    seen.current = newest
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'
    board.current?.querySelector('.run')?.scrollIntoView({ behavior, block: matchMedia(narrow).matches ? 'start' : 'nearest' })
  }, [newest])
  return board
}
