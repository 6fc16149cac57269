import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A formula in TeX, drawn as MathML by the browser; its source until the drawing code has come, and where it is wrong. */
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
  // Drawn by hand into an element that Preact never fills again: another source is another element.
  return (
    <span class={display ? 'formula display' : 'formula'} ref={place} key={source}>
      {source}
    </span>
  )
}
