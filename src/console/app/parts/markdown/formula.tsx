import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A TeX formula, drawn as MathML by the browser. Its source is shown until the renderer is loaded, and when it is invalid. */
export function Formula({ source, display = false }: { source: string; display?: boolean }): VNode {
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    let left = false
    void import('katex').then(({ default: katex }) => {
      if (left || !place.current) return
      const options = {
        displayMode: display,
        output: 'mathml',
        throwOnError: false,
        trust: false,
        strict: 'ignore',
        maxExpand: 200,
        maxSize: 20,
      } as const
      katex.render(source, place.current, options)
    })
    return () => {
      left = true
    }
  }, [source, display])
  // The renderer draws into this element, which Preact never updates: another source gets another element.
  return (
    <span class={display ? 'formula display' : 'formula'} ref={place} key={source}>
      {source}
    </span>
  )
}
