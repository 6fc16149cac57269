import { useEffect } from 'preact/hooks'

/** Runs something periodically while the component is shown and the page is visible, never twice at a time. */
export function useRepeat(run: () => Promise<unknown>, everyMs: number | null): void {
  useEffect(() => {
    if (everyMs === null) return
    let busy = false
    const timer = setInterval(() => {
      if (busy || document.visibilityState !== 'visible') return
      busy = true
      void run().finally(() => {
        busy = false
      })
    }, everyMs)
    return () => clearInterval(timer)
  }, [run, everyMs])
}
